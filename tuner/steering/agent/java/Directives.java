package tuner.steering.agent;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What to change in the plans of an application: the JSON that `tuner.model.agent_message` documents. */
public final class Directives {
  public static final int VERSION = 3;

  /** All of one query. `relations` are those it is expected to read; `columns` a digest of what of them, or "". */
  public static final class Query {
    public String fingerprint;
    public Set relations;
    public String columns;
    /** Whether another job lends it. */
    public boolean lent;
    public List hints = new ArrayList();
    public List orders = new ArrayList();
  }

  /** A query that another job lends, as it is sealed (Sealed); `opened` once a plan was met that reads what it reads. */
  public static final class Locked {
    public String lock;
    public String nonce;
    public String body;
    public Query opened;
  }

  /** A hint for every join of a signature; `side` holds the relations of the side it is given to, or nothing. */
  public static final class Hint {
    public String id;
    public String join;
    public String hint;
    public List side;
    /** Classes of the values that its query was measured with: it acts on no others. */
    public List literals;
    /** Columns whose values do not count for these. */
    public List neutral;
    /** The most that the relations of the side may be estimated at, in bytes; 0 for any. */
    public long mostBytes;
    public long capBytes;
    /** Of a filter by key the relations whose rows it is for; none where they are not known. */
    public List filtered;
    /** Of a filter by key the rows whose keys it is made of, 0 where they are not known. */
    public long rows;
    /** The most bytes of hash relation that what is counted first may have; 0 for as many as the heap has room for. */
    public long mostCounted;
    /** Whether the planner shuffled both sides of the join that was measured. */
    public boolean shuffled;
  }

  /** An order of a block's items: `order` is the number of an item, or a JSON pair of orders. */
  public static final class Order {
    public String id;
    public List items = new ArrayList();
    public List edges = new ArrayList();
    public JsonNode order;
    /** As those of a hint. */
    public List literals;
    public List neutral;
    /** Ranges of sizes, each a list with the Bounds of each item; none for items of any size. */
    public List ranges = new ArrayList();
  }

  /** The least and the most that the relations of an item may be estimated at; the most rows that it may keep, 0 for any. */
  public static final class Bounds {
    public final long leastBytes;
    public final long mostBytes;
    public final long mostRows;

    public Bounds(long leastBytes, long mostBytes, long mostRows) {
      this.leastBytes = leastBytes;
      this.mostBytes = mostBytes;
      this.mostRows = mostRows;
    }
  }

  /** An equality between two items of a block, by their numbers. */
  public static final class Edge {
    public final int left;
    public final int right;
    public final String leftKey;
    public final String rightKey;

    public Edge(int left, int right, String leftKey, String rightKey) {
      this.left = left;
      this.right = right;
      this.leftKey = leftKey;
      this.rightKey = rightKey;
    }
  }

  private Directives() {}

  /** What a text directs: each a Query, or Locked. Throws IllegalArgumentException with what is wrong with it. */
  public static List parse(String text) {
    JsonNode root;
    try {
      root = Json.read(text);
    } catch (java.io.IOException error) {
      throw new IllegalArgumentException("the directives are no JSON");
    }
    int version = root == null ? 0 : Json.field(root, "version").asInt();
    if (version != VERSION) {
      throw new IllegalArgumentException("the directives are of version " + version + ", the agent reads " + VERSION);
    }
    List queries = new ArrayList();
    JsonNode each = Json.field(root, "queries");
    for (int i = 0; i < each.size(); i++) queries.add(query(Json.element(each, i)));
    JsonNode sealed = Json.field(root, "sealed");
    for (int i = 0; i < sealed.size(); i++) {
      JsonNode one = Json.element(sealed, i);
      Locked locked = new Locked();
      locked.lock = Json.text(one, "lock");
      locked.nonce = Json.text(one, "nonce");
      locked.body = Json.text(one, "body");
      queries.add(locked);
    }
    return queries;
  }

  /** One of the queries of a message. */
  public static Query query(JsonNode node) {
    Query query = new Query();
    query.fingerprint = Json.text(node, "fingerprint");
    query.relations = new HashSet(Json.sortedTexts(Json.field(node, "relations")));
    query.columns = Json.text(node, "columns");
    JsonNode hints = Json.field(node, "hints");
    for (int i = 0; i < hints.size(); i++) query.hints.add(hint(Json.element(hints, i)));
    JsonNode orders = Json.field(node, "orders");
    for (int i = 0; i < orders.size(); i++) query.orders.add(order(Json.element(orders, i)));
    return query;
  }

  private static Hint hint(JsonNode node) {
    Hint hint = new Hint();
    hint.id = Json.text(node, "id");
    hint.join = Json.text(node, "join");
    hint.hint = Json.text(node, "hint");
    hint.side = Json.sortedTexts(Json.field(node, "side"));
    hint.literals = Json.sortedTexts(Json.field(node, "literals"));
    hint.neutral = Json.sortedTexts(Json.field(node, "neutral"));
    hint.filtered = Json.sortedTexts(Json.field(node, "filtered"));
    hint.mostBytes = Json.field(node, "most_bytes").asLong();
    hint.capBytes = Json.field(node, "cap_bytes").asLong();
    hint.rows = Json.field(node, "rows").asLong();
    hint.mostCounted = Json.field(node, "most_counted").asLong();
    hint.shuffled = Json.field(node, "shuffled").asBoolean();
    return hint;
  }

  private static Order order(JsonNode node) {
    Order order = new Order();
    order.id = Json.text(node, "id");
    order.literals = Json.sortedTexts(Json.field(node, "literals"));
    order.neutral = Json.sortedTexts(Json.field(node, "neutral"));
    JsonNode items = Json.field(node, "items");
    for (int i = 0; i < items.size(); i++) order.items.add(Json.sortedTexts(Json.element(items, i)));
    addRange(order, Json.field(node, "bounds"));
    JsonNode more = Json.field(node, "more_bounds");
    for (int i = 0; i < more.size(); i++) addRange(order, Json.element(more, i));
    JsonNode predicates = Json.field(node, "predicates");
    for (int i = 0; i < predicates.size(); i++) {
      JsonNode predicate = Json.element(predicates, i);
      JsonNode left = Json.element(predicate, 0);
      JsonNode right = Json.element(predicate, 1);
      // What names several items of one side is a key in some orders and a condition in others.
      if (left.size() != 1 || right.size() != 1) continue;
      order.edges.add(new Edge(
          Json.element(left, 0).asInt(), Json.element(right, 0).asInt(),
          Json.element(predicate, 2).asText(), Json.element(predicate, 3).asText()));
    }
    order.order = Json.field(node, "order");
    boolean[] named = new boolean[order.items.size()];
    int count = names(order.order, named);
    if (count != named.length) throw new IllegalArgumentException("the order " + order.id + " does not name each item once");
    return order;
  }

  private static void addRange(Order order, JsonNode bounds) {
    List range = new ArrayList();
    for (int i = 0; i < bounds.size(); i++) {
      JsonNode each = Json.element(bounds, i);
      range.add(new Bounds(
          Json.element(each, 0).asLong(), Json.element(each, 1).asLong(), Json.element(each, 2).asLong()));
    }
    if (range.isEmpty()) return;
    if (range.size() != order.items.size()) {
      throw new IllegalArgumentException("the order " + order.id + " does not bound each of its items");
    }
    order.ranges.add(range);
  }

  private static int names(JsonNode order, boolean[] named) {
    if (order.isArray() && order.size() == 2) return names(Json.element(order, 0), named) + names(Json.element(order, 1), named);
    int item = order.isInt() ? order.asInt() : -1;
    if (item < 0 || item >= named.length || named[item]) {
      throw new IllegalArgumentException("an order names " + order + " twice, or no item of its block");
    }
    named[item] = true;
    return 1;
  }
}
