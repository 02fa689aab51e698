package tuner.steering.agent.build;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import org.codehaus.commons.compiler.CompileException;
import org.codehaus.janino.ClassLoaderIClassLoader;
import org.codehaus.janino.Parser;
import org.codehaus.janino.Scanner;
import org.codehaus.janino.UnitCompiler;
import org.codehaus.janino.util.ClassFile;

/**
 * Compiles the agent: Build OUTPUT_DIRECTORY SOURCE..., each source after those that it uses.
 *
 * Janino compiles one file at a time, so each sees the classes of the former through the output directory.
 */
public class Build {
  public static void main(String[] arguments) throws Exception {
    File output = new File(arguments[0]);
    for (int i = 1; i < arguments.length; i++) {
      try {
        compile(new File(arguments[i]), output);
      } catch (CompileException e) {
        System.err.println(e.getMessage());
        System.exit(2);
      }
    }
  }

  private static void compile(File source, File output) throws Exception {
    ClassLoader spark = Thread.currentThread().getContextClassLoader();
    ClassLoader known = new URLClassLoader(new URL[] {output.toURI().toURL()}, spark);
    FileInputStream text = new FileInputStream(source);
    try {
      Scanner scanner = new Scanner(source.getName(), text, "UTF-8");
      UnitCompiler compiler = new UnitCompiler(
        new Parser(scanner).parseAbstractCompilationUnit(), new ClassLoaderIClassLoader(known));
      Iterator classes = compiled(compiler).iterator();
      while (classes.hasNext()) {
        write((ClassFile) classes.next(), output);
      }
    } finally {
      text.close();
    }
  }

  /** Janino 3.0 (Spark 3.3) returns the classes, 3.1 adds them to a collection: neither has the other's method. */
  private static Collection compiled(UnitCompiler compiler) throws Exception {
    Collection found = new ArrayList();
    try {
      Method method = method(3);
      if (method != null) {
        found.addAll(Arrays.asList((Object[]) method.invoke(
          compiler, new Object[] {Boolean.TRUE, Boolean.TRUE, Boolean.FALSE})));
      } else {
        method(4).invoke(compiler, new Object[] {Boolean.TRUE, Boolean.TRUE, Boolean.FALSE, found});
      }
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof CompileException) {
        throw (CompileException) e.getCause();
      }
      throw e;
    }
    return found;
  }

  private static Method method(int parameters) {
    Method[] methods = UnitCompiler.class.getMethods();
    for (int i = 0; i < methods.length; i++) {
      Class[] types = methods[i].getParameterTypes();
      if (methods[i].getName().equals("compileUnit") && types.length == parameters
        && (parameters == 3 || types[3] == Collection.class)) {
        return methods[i];
      }
    }
    return null;
  }

  private static void write(ClassFile compiled, File output) throws Exception {
    File file = new File(output, compiled.getThisClassName().replace('.', '/') + ".class");
    file.getParentFile().mkdirs();
    FileOutputStream stream = new FileOutputStream(file);
    try {
      stream.write(compiled.toByteArray());
    } finally {
      stream.close();
    }
  }
}
