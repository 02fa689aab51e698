package tests.steering;

import java.io.File;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.apache.commons.io.FileUtils;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.plans.Inner$;
import org.apache.spark.sql.catalyst.plans.JoinType;
import org.apache.spark.sql.catalyst.plans.logical.BROADCAST$;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.JoinHint;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.PlanLater;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.UnionExec;
import org.apache.spark.sql.execution.adaptive.Cost;
import org.apache.spark.sql.execution.exchange.BroadcastExchangeLike;
import org.apache.spark.sql.execution.exchange.Exchange;
import scala.None$;
import scala.Option;
import scala.Some;
import tuner.steering.agent.BroadcastCost;
import tuner.steering.agent.Directives;
import tuner.steering.agent.MeasuredFirst;
import tuner.steering.agent.Pass;
import tuner.steering.agent.Trees;

/**
 * A broadcast that another extension makes, as Comet does. Arguments: a file of directives, and one that gets how a join with it
 * compares with one without, where its rows are too many.
 */
public class OtherBroadcast extends Exchange implements BroadcastExchangeLike {
  private final SparkPlan child;

  public OtherBroadcast(SparkPlan child) {
    this.child = child;
  }

  public static void main(String[] arguments) throws Exception {
    LogicalPlan row = new OneRowRelation();
    List queries = Directives.parse(FileUtils.readFileToString(new File(arguments[0]), "UTF-8"));
    Directives.Hint directed = (Directives.Hint) ((Directives.Query) queries.get(0)).hints.get(0);
    MeasuredFirst hint = new MeasuredFirst(BROADCAST$.MODULE$, directed, "", Pass.begin(row));
    hint.grant.isTooLarge = true;
    Option none = (Option) None$.MODULE$;
    Join join = new Join(row, row, (JoinType) Inner$.MODULE$, none, new JoinHint(none, (Option) new Some(hint)));
    SparkPlan side = new PlanLater(row);
    Cost with = new BroadcastCost().evaluateCost(joined(new OtherBroadcast(side), join));
    Cost without = new BroadcastCost().evaluateCost(joined(side, join));
    FileUtils.writeStringToFile(new File(arguments[1]), String.valueOf(with.compare(without)), "UTF-8");
  }

  private static SparkPlan joined(SparkPlan side, Join join) {
    SparkPlan plan = new UnionExec(Trees.seq(new ArrayList(Collections.singletonList(side))));
    plan.setLogicalLink(join);
    return plan;
  }

  public TreeNode child() {
    return child;
  }

  public TreeNode withNewChildInternal(TreeNode other) {
    return new OtherBroadcast((SparkPlan) other);
  }

  public RDD doExecute() {
    throw new UnsupportedOperationException();
  }

  public void org$apache$spark$sql$execution$exchange$BroadcastExchangeLike$_setter_$runId_$eq(UUID id) {}

  public UUID runId() {
    return null;
  }

  public java.util.concurrent.Future relationFuture() {
    return null;
  }

  public scala.concurrent.Future completionFuture() {
    return null;
  }

  public Statistics runtimeStatistics() {
    return null;
  }

  public int productArity() {
    return 1;
  }

  public Object productElement(int n) {
    return child;
  }

  public boolean canEqual(Object other) {
    return other == this;
  }
}
