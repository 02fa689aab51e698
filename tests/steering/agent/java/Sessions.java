package tests.steering;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;

/** A function of a Dataset that takes the rows of a task as they lie: of their first column each value after another one. */
public class Sessions implements MapPartitionsFunction {
  public static Dataset of(Dataset rows) {
    return rows.mapPartitions((MapPartitionsFunction) new Sessions(), Encoders.LONG());
  }

  public Iterator call(Iterator rows) {
    List found = new ArrayList();
    Object last = null;
    while (rows.hasNext()) {
      Object value = ((Row) rows.next()).get(0);
      if (!value.equals(last)) found.add(value);
      last = value;
    }
    return found.iterator();
  }
}
