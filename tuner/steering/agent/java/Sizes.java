package tuner.steering.agent;

import java.math.BigInteger;
import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** How large the relations below an operator are by the planner's own estimates, which follow the files there are. */
public final class Sizes {
  private Sizes() {}

  /** Why a side is too large for what it was measured to be; null where it is not, or where any size will do. */
  public static String obstacle(LogicalPlan side, long mostBytes) {
    if (mostBytes <= 0) return null;
    BigInteger size = ofLeaves(side);
    if (size.compareTo(BigInteger.valueOf(mostBytes)) <= 0) return null;
    return "the relations of that side have grown to " + size + " bytes, the most is " + mostBytes;
  }

  private static BigInteger ofLeaves(LogicalPlan plan) {
    List children = Trees.children(plan);
    if (children.isEmpty()) return plan.stats().sizeInBytes().bigInteger();
    BigInteger sum = BigInteger.ZERO;
    for (int i = 0; i < children.size(); i++) sum = sum.add(ofLeaves((LogicalPlan) children.get(i)));
    return sum;
  }
}
