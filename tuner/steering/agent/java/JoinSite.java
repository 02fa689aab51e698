package tuner.steering.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys$;
import org.apache.spark.sql.catalyst.planning.ExtractSingleColumnNullAwareAntiJoin$;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import scala.Option;
import scala.Product;

/** A join under the signature that `tuner.plan.joins` computes of the physical join which Spark plans for it. */
public final class JoinSite {
  public final Join join;
  public final String type;
  public final List left;
  public final List right;
  /** The keys of the join's own sides, as expressions; none where the planner finds none. */
  public final List leftKeys;
  public final List rightKeys;
  /** Pairs of sources, left then right, as String[2]. */
  public final List keys;
  public final String signature;
  /** Whether it is NOT IN over a column that may be null, which is always a broadcast (JoinSelection). */
  public boolean nullAware;

  public JoinSite(Join join, Lineage lineage, Names names) {
    this.join = join;
    boolean flipped = typeOf(join).equals("RightOuter");
    type = flipped ? "LeftOuter" : typeOf(join).equals("Cross") ? "Inner" : typeOf(join);
    left = names.relations(flipped ? join.right() : join.left());
    right = names.relations(flipped ? join.left() : join.right());
    List[] sides = equalKeys();
    leftKeys = sides[0];
    rightKeys = sides[1];
    keys = new ArrayList();
    for (int i = 0; i < Math.min(sides[0].size(), sides[1].size()); i++) {
      String first = lineage.source((Expression) sides[flipped ? 1 : 0].get(i));
      String second = lineage.source((Expression) sides[flipped ? 0 : 1].get(i));
      keys.add(new String[] {first, second});
    }
    signature = signature();
  }

  /** Spark's name of a join's type. */
  public static String typeOf(Join join) {
    return join.joinType().getClass().getSimpleName().replace("$", "");
  }

  /** The keys of both sides as the planner finds them; none where it finds no equality. */
  private List[] equalKeys() {
    Option found = ExtractEquiJoinKeys$.MODULE$.unapply(join);
    int first = 1;
    if (found.isEmpty() && type.equals("LeftAnti")) {
      found = ExtractSingleColumnNullAwareAntiJoin$.MODULE$.unapply(join);
      nullAware = found.isDefined();
      first = 0;
    }
    if (found.isEmpty()) return new List[] {new ArrayList(), new ArrayList()};
    Product parts = (Product) found.get();
    return new List[] {Trees.list(parts.productElement(first)), Trees.list(parts.productElement(first + 1))};
  }

  /** tuner.plan.joins.signature: inner and full outer joins do not tell their sides apart. */
  private String signature() {
    boolean symmetric = type.equals("Inner") || type.equals("FullOuter");
    List sides = new ArrayList();
    sides.add(joined(left, "+"));
    sides.add(joined(right, "+"));
    if (symmetric) Collections.sort(sides);
    List pairs = new ArrayList();
    for (int i = 0; i < keys.size(); i++) {
      String[] pair = (String[]) keys.get(i);
      boolean swap = symmetric && pair[0].compareTo(pair[1]) > 0;
      pairs.add(new Pair(pair[swap ? 1 : 0], pair[swap ? 0 : 1]));
    }
    Collections.sort(pairs);
    return Names.digest(type + "|" + sides.get(0) + "|" + sides.get(1) + "|" + joined(pairs, ";"));
  }

  private static String joined(List parts, String separator) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < parts.size(); i++) text.append(i == 0 ? "" : separator).append(parts.get(i));
    return text.toString();
  }

  /** Two sources, ordered by the first, then by the second. */
  private static final class Pair implements Comparable {
    private final String first;
    private final String second;

    Pair(String first, String second) {
      this.first = first;
      this.second = second;
    }

    public int compareTo(Object other) {
      int by = first.compareTo(((Pair) other).first);
      return by != 0 ? by : second.compareTo(((Pair) other).second);
    }

    public String toString() {
      return first + "=" + second;
    }
  }
}
