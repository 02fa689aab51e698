package tuner.steering.agent;

import java.security.MessageDigest;
import java.util.Base64;
import java.util.Collection;
import java.util.TreeSet;

/** What is wanted of a query that another job lends: only a plan that reads what it reads can open it (tuner.plan.sealed_directives). */
public final class Sealed {
  private static final int BLOCK = 32;

  private Sealed() {}

  /** What tells the plans that can open it. */
  public static String lock(Collection relations, String columns) {
    return Names.digest("lock\n" + named(relations, columns));
  }

  /** The query, the same each time. Throws IllegalArgumentException with what is wrong with it. */
  public static Directives.Query open(Directives.Locked locked, Collection relations, String columns) {
    synchronized (locked) {
      if (locked.opened == null) locked.opened = unmasked(locked, named(relations, columns));
      return locked.opened;
    }
  }

  private static Directives.Query unmasked(Directives.Locked locked, String named) {
    try {
      byte[] bytes = Base64.getDecoder().decode(locked.body);
      String key = locked.nonce + "\n" + named + "\n";
      for (int start = 0; start < bytes.length; start += BLOCK) {
        byte[] mask = MessageDigest.getInstance("SHA-256").digest((key + (start / BLOCK)).getBytes("UTF-8"));
        for (int i = 0; i < BLOCK && start + i < bytes.length; i++) {
          bytes[start + i] = (byte) (bytes[start + i] ^ mask[i]);
        }
      }
      Directives.Query query = Directives.query(Json.read(new String(bytes, "UTF-8")));
      query.lent = true;
      return query;
    } catch (java.io.IOException error) {
      throw new IllegalArgumentException("what was lent is no JSON");
    } catch (java.security.GeneralSecurityException error) {
      throw new IllegalStateException(error);
    }
  }

  private static String named(Collection relations, String columns) {
    StringBuilder text = new StringBuilder();
    for (Object relation : new TreeSet(relations)) text.append((String) relation).append("\n");
    return text.append(columns).toString();
  }
}
