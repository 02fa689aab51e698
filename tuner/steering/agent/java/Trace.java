package tuner.steering.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** What the agent calls the parts of a plan, for whoever compares it with the names that the tuner reads from a log. */
public final class Trace {
  private Trace() {}

  /** Before the joins are ordered: the relations, a digest of their columns, the blocks of more than two items. */
  public static Map ofPlan(LogicalPlan plan, List operators, Names names, Lineage lineage) {
    Map trace = new LinkedHashMap();
    trace.put("relations", new ArrayList(new TreeSet(Scope.relations(operators, names))));
    trace.put("columns", Columns.digest(plan, operators, names));
    List blocks = new ArrayList();
    addBlocks(plan, names, lineage, blocks);
    trace.put("blocks", blocks);
    return trace;
  }

  private static void addBlocks(LogicalPlan plan, Names names, Lineage lineage, List found) {
    List below = Trees.children(plan);
    if (JoinBlock.isInner(plan)) {
      JoinBlock block = new JoinBlock(plan);
      if (block.items.size() > 2) found.add(told(block, names, lineage));
      below = block.items;
    } else {
      below.addAll(Trees.subqueries(plan));
    }
    for (int i = 0; i < below.size(); i++) addBlocks((LogicalPlan) below.get(i), names, lineage, found);
  }

  private static Map told(JoinBlock block, Names names, Lineage lineage) {
    Map told = new LinkedHashMap();
    told.put("items", block.relations(names));
    List edges = new ArrayList();
    List between = block.edges(lineage);
    for (int i = 0; i < between.size(); i++) {
      Directives.Edge edge = (Directives.Edge) between.get(i);
      edges.add(Arrays.asList(new Object[] {
          Integer.valueOf(edge.left), Integer.valueOf(edge.right), edge.leftKey, edge.rightKey}));
    }
    told.put("edges", edges);
    return told;
  }

  /** All joins of a plan but those of the subqueries that prune, which come and go with the sizes of a run. */
  public static List joins(LogicalPlan plan, Names names, Lineage lineage) {
    List found = new ArrayList();
    addJoins(plan, names, lineage, found);
    return found;
  }

  private static void addJoins(LogicalPlan plan, Names names, Lineage lineage, List found) {
    if (plan instanceof Join) found.add(told(new JoinSite((Join) plan, lineage, names)));
    List children = Trees.children(plan);
    for (int i = 0; i < children.size(); i++) addJoins((LogicalPlan) children.get(i), names, lineage, found);
    List subqueries = Trees.planExpressions(plan);
    for (int i = 0; i < subqueries.size(); i++) {
      PlanExpression subquery = (PlanExpression) subqueries.get(i);
      if (!prunes(subquery)) addJoins((LogicalPlan) subquery.plan(), names, lineage, found);
    }
  }

  private static boolean prunes(PlanExpression subquery) {
    return subquery.getClass().getSimpleName().equals("DynamicPruningSubquery")
        || subquery.plan().toString().indexOf("bloom_filter_agg") >= 0;
  }

  private static Map told(JoinSite site) {
    Map join = new LinkedHashMap();
    join.put("signature", site.signature);
    join.put("type", site.type);
    join.put("left", site.left);
    join.put("right", site.right);
    List keys = new ArrayList();
    for (int i = 0; i < site.keys.size(); i++) keys.add(Arrays.asList((Object[]) site.keys.get(i)));
    join.put("keys", keys);
    return join;
  }
}
