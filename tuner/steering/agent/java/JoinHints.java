package tuner.steering.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.plans.logical.BROADCAST$;
import org.apache.spark.sql.catalyst.plans.logical.HintInfo;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.JoinHint;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.NO_BROADCAST_HASH$;
import org.apache.spark.sql.catalyst.plans.logical.SHUFFLE_HASH$;
import org.apache.spark.sql.catalyst.plans.logical.SHUFFLE_MERGE$;
import scala.None$;
import scala.Option;
import scala.Some;

/** Gives joins the hints that are directed; one that has a hint of the user's keeps it. */
public final class JoinHints implements Trees.Rewrite {
  // JoinSelectionHelper.canBuildBroadcastLeft and -Right.
  private static final Set BROADCAST_LEFT = new HashSet(Arrays.asList(new Object[] {"Inner", "Cross", "RightOuter"}));
  private static final Set BROADCAST_RIGHT = new HashSet(Arrays.asList(
      new Object[] {"Inner", "Cross", "LeftOuter", "LeftSemi", "LeftAnti", "ExistenceJoin", "LeftSingle"}));

  private final List hints;
  private final Pass pass;
  private final Names names;
  private final Lineage lineage;

  public JoinHints(List hints, Pass pass, Names names, Lineage lineage) {
    this.hints = hints;
    this.pass = pass;
    this.names = names;
    this.lineage = lineage;
  }

  public LogicalPlan of(LogicalPlan plan) {
    LogicalPlan rewritten = Trees.mapSubqueries(Trees.mapChildren(plan, this), this);
    // What is below has the same relations and columns, hinted or not.
    return plan instanceof Join ? hinted((Join) plan, (Join) rewritten) : rewritten;
  }

  private Join hinted(Join before, Join join) {
    JoinSite site = new JoinSite(before, lineage, names);
    for (int i = 0; i < hints.size(); i++) {
      Directives.Hint hint = (Directives.Hint) hints.get(i);
      if (hint.join.equals(site.signature)) join = hinted(join, hint, before);
    }
    return join;
  }

  private Join hinted(Join join, Directives.Hint directed, Join before) {
    boolean left = directed.side.isEmpty() || directed.side.equals(names.relations(before.left()));
    boolean right = directed.side.isEmpty() || directed.side.equals(names.relations(before.right()));
    String obstacle = obstacle(join, directed, left, right);
    if (obstacle != null) {
      pass.tell(directed.id, Pass.IMPOSSIBLE, obstacle);
      return join;
    }
    Option info = (Option) new Some(new HintInfo((Option) new Some(strategy(directed.hint))));
    JoinHint hint = new JoinHint(left ? info : (Option) None$.MODULE$, right ? info : (Option) None$.MODULE$);
    if (!JoinBlock.isFree(join)) {
      boolean same = join.hint().equals(hint);
      pass.tell(directed.id, same ? Pass.APPLIED : Pass.IGNORED, same ? "" : "the join has a hint already: " + join.hint());
      return join;
    }
    pass.tell(directed.id, Pass.APPLIED, "");
    Join hinted = new Join(join.left(), join.right(), join.joinType(), join.condition(), hint);
    hinted.copyTagsFrom(join);
    return hinted;
  }

  private static String obstacle(Join join, Directives.Hint directed, boolean left, boolean right) {
    if (strategy(directed.hint) == null) return "the agent knows no hint " + directed.hint;
    if (!left && !right) return "neither side of the join is " + directed.side;
    boolean sideMatters = directed.hint.equals("BROADCAST") || directed.hint.equals("SHUFFLE_HASH");
    if (sideMatters && left && right) return "the sides of the join cannot be told apart";
    String type = JoinSite.typeOf(join);
    if (directed.hint.equals("BROADCAST")) {
      return (left ? BROADCAST_LEFT : BROADCAST_RIGHT).contains(type)
          ? null : "Spark cannot broadcast the " + (left ? "left" : "right") + " side of a join of type " + type;
    }
    return JoinSite.hasKeys(join) ? null : "the join has no keys";
  }

  private static Object strategy(String hint) {
    if (hint.equals("BROADCAST")) return BROADCAST$.MODULE$;
    if (hint.equals("NO_BROADCAST")) return NO_BROADCAST_HASH$.MODULE$;
    if (hint.equals("SHUFFLE_HASH")) return SHUFFLE_HASH$.MODULE$;
    return hint.equals("MERGE") ? SHUFFLE_MERGE$.MODULE$ : null;
  }
}
