package tuner.steering.agent;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys$;
import org.apache.spark.sql.catalyst.plans.FullOuter$;
import org.apache.spark.sql.catalyst.plans.InnerLike;
import org.apache.spark.sql.catalyst.plans.JoinType;
import org.apache.spark.sql.catalyst.plans.LeftOuter$;
import org.apache.spark.sql.catalyst.plans.RightOuter$;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import scala.Option;
import scala.Product;

/** What a join asks of pairs of rows, whatever kind of join Spark makes of it. */
public final class PairCondition {
  private PairCondition() {}

  /**
   * What of a join's condition may fail in another kind of join. Besides the keys nothing, if it returns every pair that matches:
   * each kind asks all pairs of equal keys, as AQE takes for granted where it makes one of another. Existence joins ask the
   * pairs that they meet first.
   */
  public static String obstacle(Join join) {
    if (join.condition().isEmpty()) return null;
    Option keyed = ExtractEquiJoinKeys$.MODULE$.unapply(join);
    if (!returnsPairs(join.joinType()) || keyed.isEmpty()) return NeverFails.obstacle((Expression) join.condition().get());
    for (int side = 1; side <= 2; side++) {
      List keys = Trees.list(((Product) keyed.get()).productElement(side));
      for (int i = 0; i < keys.size(); i++) {
        String found = NeverFails.obstacle((Expression) keys.get(i));
        if (found != null) return found;
      }
    }
    return null;
  }

  private static boolean returnsPairs(JoinType type) {
    return type instanceof InnerLike || type instanceof LeftOuter$ || type instanceof RightOuter$ || type instanceof FullOuter$;
  }
}
