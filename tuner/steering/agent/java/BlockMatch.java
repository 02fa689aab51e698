package tuner.steering.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which item of a block is which item of a directive. Both are told apart by their relations, by the columns they are
 * joined on, and by what they are joined to, one step further each round (colour refinement, Weisfeiler and Leman 1968).
 */
public final class BlockMatch {
  /** For each item of the directive the number of the block's; null where the block is another one. */
  public final int[] items;
  /** Why there is no match, where the block has the relations of the directive. */
  public final String reason;

  private BlockMatch(int[] items, String reason) {
    this.items = items;
    this.reason = reason;
  }

  public static BlockMatch of(Directives.Order order, List relations, List edges) {
    if (!sorted(order.items).equals(sorted(relations))) return new BlockMatch(null, null);
    if (order.edges.size() != edges.size()) return new BlockMatch(null, "its joins have other conditions than expected");
    Map numbers = new HashMap();
    int[] wanted = first(order.items, numbers);
    int[] found = first(relations, numbers);
    for (int round = 0; round < relations.size(); round++) {
      wanted = refined(wanted, order.edges, numbers);
      found = refined(found, edges, numbers);
    }
    int[] match = new int[wanted.length];
    for (int i = 0; i < wanted.length; i++) {
      match[i] = -1;
      for (int k = 0; k < found.length; k++) {
        if (found[k] != wanted[i]) continue;
        if (match[i] >= 0) return new BlockMatch(null, "two of its relations cannot be told apart");
        match[i] = k;
      }
      if (match[i] < 0) return new BlockMatch(null, "its joins have other conditions than expected");
    }
    return new BlockMatch(match, null);
  }

  private static int[] first(List relations, Map numbers) {
    int[] labels = new int[relations.size()];
    for (int i = 0; i < labels.length; i++) labels[i] = number(relations.get(i).toString(), numbers);
    return labels;
  }

  private static int[] refined(int[] labels, List edges, Map numbers) {
    List[] ends = new List[labels.length];
    for (int i = 0; i < labels.length; i++) ends[i] = new ArrayList();
    for (int i = 0; i < edges.size(); i++) {
      Directives.Edge edge = (Directives.Edge) edges.get(i);
      ends[edge.left].add(edge.leftKey + "=" + edge.rightKey + ":" + labels[edge.right]);
      ends[edge.right].add(edge.rightKey + "=" + edge.leftKey + ":" + labels[edge.left]);
    }
    int[] next = new int[labels.length];
    for (int i = 0; i < labels.length; i++) {
      Collections.sort(ends[i]);
      next[i] = number(labels[i] + "|" + ends[i], numbers);
    }
    return next;
  }

  private static int number(String text, Map numbers) {
    Integer known = (Integer) numbers.get(text);
    if (known == null) {
      known = Integer.valueOf(numbers.size());
      numbers.put(text, known);
    }
    return known.intValue();
  }

  private static List sorted(List lists) {
    List texts = new ArrayList();
    for (int i = 0; i < lists.size(); i++) texts.add(lists.get(i).toString());
    Collections.sort(texts);
    return texts;
  }
}
