package tuner.steering.agent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BinaryComparison;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.In;
import org.apache.spark.sql.catalyst.expressions.InSet;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.logical.ColumnStat;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Histogram;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.internal.SQLConf$;
import scala.Option;
import scala.runtime.AbstractFunction0;

/**
 * The least rows that a relation's filter keeps, by the histograms of its columns that ANALYZE TABLE made.
 *
 * The estimate is Spark's own (FilterEstimation), asked as if spark.sql.cbo.enabled were on. Without a histogram any value of an
 * equality keeps as many rows by it, and a range as much as it covers of all values: nothing is told of those.
 */
public final class KeptRows {
  // An equi-height histogram is off by what the bins at both ends of a range hold.
  private static final int BINS_OFF = 2;
  private static final int MOST_VALUES = 100;

  private KeptRows() {}

  /** 0 where nothing can be told: any condition of the filter is on a column without a histogram, or on several. */
  public static long least(LogicalPlan item) {
    LogicalPlan plan = item;
    while (plan instanceof Project) plan = ((Project) plan).child();
    if (!(plan instanceof Filter)) return 0;
    LogicalPlan relation = ((Filter) plan).child();
    if (!Trees.children(relation).isEmpty()) return 0;
    Map byColumn = new LinkedHashMap();
    if (!addConjuncts(((Filter) plan).condition(), byColumn)) return 0;
    try {
      SQLConf conf = (SQLConf) SQLConf.get().clone();
      conf.setConfString("spark.sql.cbo.enabled", "true");
      Least least = new Least((LogicalPlan) relation.clone(), byColumn);
      return ((Long) SQLConf$.MODULE$.withExistingConf(conf, least)).longValue();
    } catch (RuntimeException error) {
      // A guess less: the bounds in bytes stand without it.
      return 0;
    }
  }

  /** Of several columns only the share that each drops is known: together they drop at most the sum. */
  private static final class Least extends AbstractFunction0 {
    private final LogicalPlan relation;
    private final Map byColumn;

    Least(LogicalPlan relation, Map byColumn) {
      this.relation = relation;
      this.byColumn = byColumn;
    }

    public Object apply() {
      double all = rows(relation);
      double kept = all;
      for (Object conjuncts : byColumn.values()) {
        List any = anyOf((List) conjuncts);
        double share = 0;
        for (int i = 0; i < any.size() && all > 0; i++) {
          Expression condition = (Expression) any.get(i);
          share += Math.max(rows(new Filter(condition, relation)) / all - unsure(condition), 0);
        }
        // What lies past the last value that the histogram knows is estimated at no row.
        if (share == 0) return Long.valueOf(0);
        kept -= all * (1 - share);
      }
      return Long.valueOf((long) Math.max(kept, 0));
    }

    /** The share of all rows that an estimate may be off by; infinite where it is no estimate by a histogram. */
    private double unsure(Expression condition) {
      if (condition instanceof And) return unsure(((And) condition).left()) + unsure(((And) condition).right());
      Option known = relation.stats().attributeStats().get(column(condition));
      if (!known.isDefined()) return Double.POSITIVE_INFINITY;
      ColumnStat column = (ColumnStat) known.get();
      if (condition instanceof IsNotNull) return column.nullCount().isDefined() ? 0 : Double.POSITIVE_INFINITY;
      if (!column.histogram().isDefined()) return Double.POSITIVE_INFINITY;
      return (double) BINS_OFF / ((Histogram) column.histogram().get()).bins().length;
    }
  }

  /**
   * The conditions, any of which the conjuncts of a column ask for. Spark takes all values of a list for as frequent, whatever the
   * histogram says: each is asked for alone. Nothing of a list that is long, or beside other conditions.
   */
  private static List anyOf(List conjuncts) {
    List values = null;
    Expression all = null;
    Attribute column = column((Expression) conjuncts.get(0));
    for (int i = 0; i < conjuncts.size(); i++) {
      Expression one = (Expression) conjuncts.get(i);
      boolean isList = one instanceof In || one instanceof InSet;
      if (isList && values != null) return new ArrayList();
      if (isList) values = Trees.list(one instanceof In ? (Object) ((In) one).list() : (Object) ((InSet) one).hset());
      else if (!(one instanceof IsNotNull)) all = all == null ? one : new And(all, one);
    }
    List found = new ArrayList();
    if (values == null) found.add(all != null ? all : conjuncts.get(0));
    if (values == null || all != null || values.size() > MOST_VALUES) return found;
    for (int i = 0; i < values.size(); i++) {
      Object value = values.get(i);
      found.add(new EqualTo(column, value instanceof Literal ? (Literal) value : new Literal(value, column.dataType())));
    }
    return found;
  }

  private static double rows(LogicalPlan plan) {
    Option rows = plan.stats().rowCount();
    return rows.isDefined() ? ((scala.math.BigInt) rows.get()).doubleValue() : 0;
  }

  /** Puts the conjuncts that are asked of each column together; false where one is none that a histogram tells of. */
  private static boolean addConjuncts(Expression condition, Map byColumn) {
    if (condition instanceof And) {
      return addConjuncts(((And) condition).left(), byColumn) && addConjuncts(((And) condition).right(), byColumn);
    }
    Attribute column = column(condition);
    if (column == null) return false;
    Long id = Long.valueOf(column.exprId().id());
    if (!byColumn.containsKey(id)) byColumn.put(id, new ArrayList());
    ((List) byColumn.get(id)).add(condition);
    return true;
  }

  /** The column of a null check, or of a comparison with values; null of any other condition. */
  private static Attribute column(Expression condition) {
    boolean isKnown = condition instanceof IsNotNull || condition instanceof BinaryComparison
        || condition instanceof In || condition instanceof InSet;
    Attribute column = null;
    List parts = Trees.list(condition.children());
    for (int i = 0; i < parts.size(); i++) {
      if (parts.get(i) instanceof Attribute && column == null) column = (Attribute) parts.get(i);
      else if (!(parts.get(i) instanceof Literal)) return null;
    }
    return isKnown ? column : null;
  }
}
