package tuner.steering.agent;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * What the broadcasts of one query may take together, of which adaptive execution shows a part at a time: Spark keeps a relation
 * until its query ends, also where the part of the plan that it is for is done.
 */
public final class Budget {
  /** What a relation is let have: bytes, 0 for none yet, and whether its rows were too many. */
  public static final class Grant {
    public volatile long bytes;
    public volatile boolean isTooLarge;
    private boolean isDenied;
    private final long most;

    private Grant(long most) {
      this.most = most > 0 ? most : Long.MAX_VALUE;
    }

    /** Lets it have nothing; whether that is news. */
    public synchronized boolean deny() {
      boolean isNews = !isDenied;
      isDenied = true;
      isTooLarge = true;
      bytes = 0;
      return isNews;
    }

    /** Of memory that tasks have to themselves; the most that there is of it. */
    public long takeOfTask(long needed) {
      long most = Heap.mostTaskBytes();
      if (needed > most) isTooLarge = true;
      return most;
    }
  }

  private final List grants = new ArrayList();
  // Bytes of relations that are there, by the ids of their exchanges.
  private final Map relations = new HashMap();

  /** A relation that is to be counted before it is broadcast, of so many bytes at most; 0 for as many as there is room for. */
  public synchronized Grant grant(long most) {
    Grant grant = new Grant(most);
    grants.add(grant);
    return grant;
  }

  /** Note a relation that is there, which no grant stands for any more. */
  public synchronized void saw(int exchange, long bytes) {
    relations.put(Integer.valueOf(exchange), Long.valueOf(bytes));
  }

  /** Lets a relation have its bytes where the others leave room for them; the most that they leave. */
  public synchronized long take(Grant grant, long bytes) {
    long most = Math.min(grant.most, Heap.mostBytes(others(grant)));
    if (bytes > most) grant.isTooLarge = true;
    grant.bytes = grant.isTooLarge ? 0 : bytes;
    return most;
  }

  private long others(Grant one) {
    long sum = -one.bytes;
    for (int i = 0; i < grants.size(); i++) sum += ((Grant) grants.get(i)).bytes;
    for (Iterator each = relations.values().iterator(); each.hasNext(); ) sum += ((Long) each.next()).longValue();
    return sum;
  }
}
