package tuner.steering.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.spark.sql.ExperimentalMethods;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** Brings the agent's rules into every session; spark.sql.extensions or the jar's service entry names it. */
public final class Extensions extends AbstractFunction1 implements SparkSessionExtensionsProvider {
  private static final Set DONE = Collections.newSetFromMap(Collections.synchronizedMap(new WeakHashMap()));

  public Object apply(Object extensions) {
    if (!DONE.add(extensions)) return BoxedUnit.UNIT;
    ((SparkSessionExtensions) extensions).injectPreCBORule(new Rules());
    ((SparkSessionExtensions) extensions).injectRuntimeOptimizerRule(new RuntimeRules());
    ((SparkSessionExtensions) extensions).injectPlannerStrategy(new Strategies());
    return BoxedUnit.UNIT;
  }

  private static final class Strategies extends AbstractFunction1 {
    public Object apply(Object session) {
      return new CountingStrategy();
    }
  }

  private static final class RuntimeRules extends AbstractFunction1 {
    public Object apply(Object session) {
      return new BroadcastRule();
    }
  }

  /**
   * Builds the rule for join orders. Spark has no place for rules after semi-joins are made of IN and EXISTS but the
   * session's extraOptimizations: the rule for hints is put there, each time anew, for programs may set them.
   */
  private static final class Rules extends AbstractFunction1 {
    public Object apply(Object session) {
      try {
        addHintRule((ExperimentalMethods) session.getClass().getMethod("experimental", new Class[0])
            .invoke(session, new Object[0]));
      } catch (Throwable error) {
        Agent.failure(error, "no join is hinted");
      }
      return new OrderRule();
    }

    private static void addHintRule(ExperimentalMethods methods) {
      List rules = new ArrayList(Trees.list(methods.extraOptimizations()));
      for (int i = 0; i < rules.size(); i++) if (rules.get(i) instanceof HintRule) return;
      rules.add(new HintRule());
      methods.extraOptimizations_$eq(Trees.seq(rules));
    }
  }
}
