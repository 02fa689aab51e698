package tuner.steering.agent;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;

/**
 * Parts that a plan has several times. What is shuffled or broadcast alike Spark makes once for all that read it (ReuseExchange): they
 * see the same rows. Made for itself, as for another kind of join or with a filter, one may get others.
 */
public final class MadeOnce {
  // What may be shuffled or broadcast.
  private final List parts = new ArrayList();

  /** Of all operators of a plan. */
  public MadeOnce(List operators) {
    for (int i = 0; i < operators.size(); i++) {
      LogicalPlan one = (LogicalPlan) operators.get(i);
      if (!(one instanceof Project || one instanceof Filter)) parts.addAll(Trees.children(one));
      parts.addAll(Trees.subqueries(one));
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
    int equal = 0;
    for (int i = 0; i < parts.size() && equal < 2; i++) {
      LogicalPlan one = (LogicalPlan) parts.get(i);
      boolean isAlike = one.getClass() == part.getClass() && one.semanticHash() == part.semanticHash();
      if (isAlike && one.sameResult(part)) equal++;
    }
    return equal > 1;
  }
}
