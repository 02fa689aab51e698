package tuner.steering.agent;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import scala.runtime.AbstractFunction1;

/**
 * Conditions asked of the columns that a projection computes: Spark pushes `y = 2025` below `year(d) AS y`, as `year(d) = 2025`, and
 * above it `y` is all that is left of `d`.
 */
public final class Computed extends AbstractFunction1 {
  // By what is computed, the column that holds it.
  private final Map columns = new HashMap();

  /** By the columns of a projection. What is computed of columns among `kept` alone stays as it is. */
  public Computed(List named, List kept) {
    List attributes = new ArrayList();
    for (int i = 0; i < kept.size(); i++) if (kept.get(i) instanceof Attribute) attributes.add(kept.get(i));
    Set staying = Trees.ids(attributes);
    for (int i = 0; i < named.size(); i++) {
      if (!(named.get(i) instanceof Alias)) continue;
      Alias alias = (Alias) named.get(i);
      Expression of = alias.child();
      boolean stays = staying.containsAll(Trees.references(of)) || columns.containsKey(of.canonicalized());
      if (!stays && of.deterministic()) columns.put(of.canonicalized(), alias.toAttribute());
    }
  }

  /** A condition on the rows below the projection, on those above it where it can be; null for none. */
  public Expression of(Expression condition) {
    return condition == null ? null : (Expression) apply(condition);
  }

  public Object apply(Object given) {
    Object column = columns.get(((Expression) given).canonicalized());
    return column != null ? column : ((Expression) given).mapChildren(this);
  }
}
