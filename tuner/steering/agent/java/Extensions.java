package tuner.steering.agent;

import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;

/** What Spark loads: the agent's rules for every session of the application. */
public class Extensions implements SparkSessionExtensionsProvider {

    public Object apply(Object extensions) {
        SparkSessionExtensions of = (SparkSessionExtensions) extensions;
        return scala.runtime.BoxedUnit.UNIT;
    }
}
