package golden;

import java.io.DataInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/** Spark 2.4 reads the class files below its closures, with a library that knows those of Java 8: Object as one. */
final class Patch {
  private static final String CLASS = "java/lang/Object.class";
  private static final int MAJOR_VERSION_AT = 7;
  private static final byte JAVA_8 = 52;

  private Patch() {}

  /** args: a directory for `--patch-module java.base`. */
  public static void main(String[] args) throws Exception {
    Path patched = Paths.get(args[0], CLASS);
    Files.createDirectories(patched.getParent());
    try (InputStream in = Object.class.getResourceAsStream("/" + CLASS)) {
      byte[] content = new byte[in.available()];
      new DataInputStream(in).readFully(content);
      content[MAJOR_VERSION_AT] = JAVA_8;
      Files.write(patched, content);
    }
  }
}
