package tuner.steering.agent;

import java.math.BigInteger;
import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** How large the relations below an operator are by the planner's own estimates, which follow the files there are. */
public final class Sizes {
  private Sizes() {}

  /** Why a side is too large for what it was measured to be; null where it is not, or where any size will do. */
  public static Held obstacle(LogicalPlan side, long mostBytes) {
    if (mostBytes <= 0) return null;
    BigInteger size = ofLeaves(side);
    if (size.compareTo(BigInteger.valueOf(mostBytes)) <= 0) return null;
    return new Held(Held.LARGER_SIDE, "the relations of that side have grown to " + size + " bytes, the most is " + mostBytes)
        .with("bytes", size).with("most_bytes", BigInteger.valueOf(mostBytes));
  }

  /** Which item of a block is larger or smaller than its order was measured, or is known to hold, for; null for none. */
  public static Held obstacle(List plans, List bounds) {
    for (int i = 0; i < bounds.size(); i++) {
      BigInteger size = ofLeaves((LogicalPlan) plans.get(i));
      BigInteger least = BigInteger.valueOf(((long[]) bounds.get(i))[0]);
      BigInteger most = BigInteger.valueOf(((long[]) bounds.get(i))[1]);
      if (size.compareTo(least) >= 0 && size.compareTo(most) <= 0) continue;
      String reason = "a relation of its block has " + size + " bytes, the order holds from " + least + " to " + most;
      return new Held(Held.OTHER_SIZES, reason).with("bytes", size)
          .with("least_bytes", least).with("most_bytes", most);
    }
    return null;
  }

  private static BigInteger ofLeaves(LogicalPlan plan) {
    List children = Trees.children(plan);
    if (children.isEmpty()) return plan.stats().sizeInBytes().bigInteger();
    BigInteger sum = BigInteger.ZERO;
    for (int i = 0; i < children.size(); i++) sum = sum.add(ofLeaves((LogicalPlan) children.get(i)));
    return sum;
  }
}
