package tuner.steering.agent;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** One optimisation of one plan, through both rules: what became of each directive, and the time it took. */
public final class Pass {
  public static final String APPLIED = "applied";
  /** What the directive stands on does not hold in this run: sizes, values, the memory there is (Held). */
  public static final String HELD = "held";
  public static final String IGNORED = "ignored";
  public static final String IMPOSSIBLE = "impossible";
  private static final ThreadLocal CURRENT = new ThreadLocal();

  /** The directives' queries whose relations the plan reads. */
  public List queries = new ArrayList();
  public final Names names = new Names();
  public long nanos;
  /** What the parts of the plan are called; null where that is not asked for. */
  public Map trace;
  /** The values that the plan's conditions hold, by columns (Literals); null where they could not be told. */
  public List conditions;
  /** Their id, "" where they could not be told. */
  public String literals = "";
  /** What broadcasts that are counted first may take together. */
  public final Budget budget = new Budget();
  private final Map classes = new HashMap();
  // Bytes of what a metastore was asked for, by what lists it: other directives ask for the same.
  private final Map listed = new IdentityHashMap();
  // What the last rule made of the plan. A thread remembers its last pass, which must not keep plans alive.
  private WeakReference result;
  private final Map outcomes = new LinkedHashMap();
  /** The columns that its plan puts out, which every rule keeps. */
  private final Set output;
  // A plan that waits for its hints while this one is optimised: some rules run queries of their own.
  private Pass outer;

  private Pass(Set output) {
    this.output = output;
  }

  /** The pass of a plan, by the columns that it puts out; null where there is none. */
  public static Pass of(LogicalPlan plan) {
    Set output = Trees.output(plan);
    for (Pass pass = (Pass) CURRENT.get(); pass != null; pass = pass.outer) if (pass.output.equals(output)) return pass;
    return null;
  }

  /** What was listed for the plan that this thread optimises; what is put there is kept for it alone. */
  public static Map listed() {
    Pass pass = (Pass) CURRENT.get();
    return pass == null ? new IdentityHashMap() : pass.listed;
  }

  public static Pass begin(LogicalPlan plan) {
    Pass before = (Pass) CURRENT.get();
    Pass pass = new Pass(Trees.output(plan));
    boolean waits = before != null && !before.isReported() && !before.queries.isEmpty();
    pass.outer = waits || before == null ? before : before.outer;
    // One whose optimisation failed waits for ever.
    if (pass.outer != null && pass.outer.outer != null) pass.outer.outer.outer = null;
    CURRENT.set(pass);
    return pass;
  }

  /** The last rule has run. */
  public void done(LogicalPlan made) {
    result = new WeakReference(made);
    names.forget();
    listed.clear();
  }

  /** Whether a plan is what the last rule made. */
  public boolean isDone(LogicalPlan plan) {
    return result != null && result.get() == plan;
  }

  public boolean isReported() {
    return result != null;
  }

  /** Note that a directive is not for this run. */
  public void hold(String id, Held held) {
    tell(id, HELD, held.reason, held);
  }

  /** Note what became of a directive. Of several joins alike the best counts. */
  public void tell(String id, String status, String reason) {
    tell(id, status, reason, null);
  }

  private void tell(String id, String status, String reason, Held held) {
    Map known = (Map) outcomes.get(id);
    if (known != null && rank((String) known.get("status")) >= rank(status)) return;
    Map outcome = new LinkedHashMap();
    outcome.put("id", id);
    outcome.put("status", status);
    outcome.put("reason", reason);
    if (held != null) outcome.put("code", held.code);
    if (held != null) outcome.put("numbers", held.numbers);
    outcomes.put(id, outcome);
  }

  /** Note that a directive was applied, and that the plan no longer has the filters by which its query is known. */
  public void tellMerged(String id) {
    tell(id, APPLIED, "");
    ((Map) outcomes.get(id)).put("merges", Boolean.TRUE);
  }

  /** Note of a directive what was noted of another that asks for the same. */
  public void tellSame(String id, String as) {
    Map outcome = (Map) outcomes.get(as);
    if (outcome == null) return;
    tell(id, (String) outcome.get("status"), (String) outcome.get("reason"));
    if (HELD.equals(outcome.get("status"))) copyHeld(outcome, (Map) outcomes.get(id));
  }

  private static void copyHeld(Map from, Map to) {
    to.put("code", from.get("code"));
    to.put("numbers", from.get("numbers"));
  }

  /** The fingerprint of the query that a hint is for. */
  public String queryOf(Directives.Hint hint) {
    for (int i = 0; i < queries.size(); i++) {
      Directives.Query query = (Directives.Query) queries.get(i);
      if (query.hints.contains(hint)) return query.fingerprint;
    }
    return "";
  }

  /** The hints of all its queries. */
  public List hints() {
    List found = new ArrayList();
    for (int i = 0; i < queries.size(); i++) found.addAll(((Directives.Query) queries.get(i)).hints);
    return found;
  }

  /** Note that whatever nothing was noted of is impossible. */
  public void tellRest(String ofHints, String ofOrders) {
    tellOrders(IMPOSSIBLE, ofOrders);
    for (int i = 0; i < queries.size(); i++) {
      Directives.Query query = (Directives.Query) queries.get(i);
      boolean waits = isAnyHeld(query.orders);
      for (int k = 0; k < query.hints.size(); k++) {
        Directives.Hint hint = (Directives.Hint) query.hints.get(k);
        // The joins of other values may stand in another order.
        if (outcomes.containsKey(hint.id)) continue;
        if (isForOthers(hint.literals, hint.neutral)) hold(hint.id, Held.otherValues());
        else if (waits) hold(hint.id, new Held(Held.WITH_ORDER, "the order that makes its join is held"));
        else tell(hint.id, IMPOSSIBLE, ofHints);
      }
    }
  }

  /** Whether an order was held: the joins that it makes are not there, and their hints cannot be tried. */
  private boolean isAnyHeld(List orders) {
    for (int i = 0; i < orders.size(); i++) {
      Map outcome = (Map) outcomes.get(((Directives.Order) orders.get(i)).id);
      if (outcome != null && HELD.equals(outcome.get("status"))) return true;
    }
    return false;
  }

  /** Whether a directive was measured with the values of this plan. */
  public boolean isMeasured(List allowed, List neutral) {
    return conditions != null && allowed.contains(classOf(neutral));
  }

  private String classOf(List neutral) {
    String known = (String) classes.get(neutral);
    if (known == null) {
      known = Literals.classOf(conditions, neutral);
      classes.put(neutral, known);
    }
    return known;
  }

  /** Note the values of a plan. */
  public void tellValues(Literals found) {
    literals = found.id();
    conditions = found.conditions();
  }

  /** Whether a directive is for other values than those of this plan. */
  private boolean isForOthers(List allowed, List neutral) {
    return conditions != null && !allowed.contains(classOf(neutral));
  }

  /** Note the same of all orders that nothing was noted of, but of those that are for other values. */
  public void tellOrders(String status, String reason) {
    for (int i = 0; i < queries.size(); i++) {
      List orders = ((Directives.Query) queries.get(i)).orders;
      for (int k = 0; k < orders.size(); k++) {
        Directives.Order order = (Directives.Order) orders.get(k);
        if (outcomes.containsKey(order.id)) continue;
        if (isForOthers(order.literals, order.neutral)) hold(order.id, Held.otherValues());
        else tell(order.id, status, reason);
      }
    }
  }

  /** Forget which hints were applied: their joins are left as they were. */
  public void undoHints(String reason) {
    List hints = hints();
    for (int i = 0; i < hints.size(); i++) outcomes.remove(((Directives.Hint) hints.get(i)).id);
    tellRest(reason, reason);
  }

  /** Forget what was applied: the plan is left as it was. */
  public void undo(String reason) {
    outcomes.clear();
    tellRest(reason, reason);
  }

  /** The queries the plan may be: of several that read its relations those whose joins it has, where any has some. */
  public List met() {
    List found = new ArrayList();
    for (int i = 0; i < queries.size(); i++) if (hasAny((Directives.Query) queries.get(i))) found.add(queries.get(i));
    return found.isEmpty() ? queries : found;
  }

  private boolean hasAny(Directives.Query query) {
    List told = of(query);
    for (int i = 0; i < told.size(); i++) if (!IMPOSSIBLE.equals(((Map) told.get(i)).get("status"))) return true;
    return false;
  }

  /** What became of the directives of a query: maps with id, status and reason. */
  public List of(Directives.Query query) {
    List found = new ArrayList();
    for (int i = 0; i < query.orders.size(); i++) add(((Directives.Order) query.orders.get(i)).id, found);
    for (int i = 0; i < query.hints.size(); i++) add(((Directives.Hint) query.hints.get(i)).id, found);
    return Collections.unmodifiableList(found);
  }

  private void add(String id, List found) {
    if (outcomes.containsKey(id)) found.add(outcomes.get(id));
  }

  private static int rank(String status) {
    return status.equals(APPLIED) ? 3 : status.equals(HELD) ? 2 : status.equals(IGNORED) ? 1 : 0;
  }
}
