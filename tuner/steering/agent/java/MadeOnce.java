package tuner.steering.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;

/**
 * Parts that a plan has several times. What is shuffled or broadcast alike Spark makes once for all that read it (ReuseExchange): they
 * see the same rows. Made for itself, as for another kind of join or with a filter, one may get others.
 */
public final class MadeOnce {
  // What may be shuffled or broadcast.
  private final List parts = new ArrayList();
  private final Shuffles shuffles = new Shuffles();

  /** Of all operators of a plan. */
  public MadeOnce(List operators) {
    for (int i = 0; i < operators.size(); i++) {
      LogicalPlan one = (LogicalPlan) operators.get(i);
      if (!(one instanceof Project || one instanceof Filter)) add(Trees.children(one), one);
      add(Trees.subqueries(one), null);
    }
  }

  private void add(List plans, LogicalPlan reader) {
    for (int i = 0; i < plans.size(); i++) parts.add(new Part((LogicalPlan) plans.get(i), reader));
  }

  private static final class Part {
    final LogicalPlan plan;
    /** The operator whose input it is; null for a subquery. */
    final LogicalPlan reader;

    Part(LogicalPlan plan, LogicalPlan reader) {
      this.plan = plan;
      this.reader = reader;
    }

    boolean isAlike(LogicalPlan other) {
      return plan.getClass() == other.getClass() && plan.semanticHash() == other.semanticHash() && plan.sameResult(other);
    }
  }

  /** Why a part must be made as it is: another is equal, and made again its rows may be others; null where it need not. */
  public String obstacle(LogicalPlan part) {
    // First: it is seldom so, and comparing takes longer.
    String other = Repeatable.obstacleBesideFiles(part);
    if (other == null || !isTwice(part)) return null;
    return "its rows are made once for several readers, and may be others when they are made again: " + other;
  }

  private boolean isTwice(LogicalPlan part) {
    List alike = new ArrayList();
    for (int i = 0; i < parts.size(); i++) {
      Part one = (Part) parts.get(i);
      if (!one.isAlike(part)) continue;
      for (int k = 0; k < alike.size(); k++) if (!areApart((Part) alike.get(k), one)) return true;
      alike.add(one);
    }
    return false;
  }

  /** Whether joins shuffle two equal parts by other columns each: these are made twice as it is. */
  private boolean areApart(Part one, Part other) {
    Set columns = shuffledBy(one);
    Set others = shuffledBy(other);
    return !columns.isEmpty() && !others.isEmpty() && Collections.disjoint(columns, others);
  }

  /** The places of the columns by which a join shuffles a part; none where it may not, or where that is not known. */
  private Set shuffledBy(Part part) {
    Set places = new HashSet();
    if (!(part.reader instanceof Join) || !shuffles.shuffles((Join) part.reader)) return places;
    Join join = (Join) part.reader;
    Set keys = Shuffles.keyColumns(join, part.plan == join.left());
    List output = Trees.list(part.plan.output());
    for (int i = 0; i < output.size(); i++) {
      if (keys.contains(Long.valueOf(((Attribute) output.get(i)).exprId().id()))) places.add(Integer.valueOf(i));
    }
    return places;
  }
}
