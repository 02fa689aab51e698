package tuner.steering.agent;

import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;

/** Why a directive is not carried out in this run: a code of `tuner.model.reason`, its numbers, and both as a sentence. */
public final class Held {
  public static final String OTHER_VALUES = "held_other_values";
  public static final String LARGER_SIDE = "held_larger_side";
  public static final String OTHER_SIZES = "held_other_sizes";
  public static final String BETWEEN_SIZES = "held_between_sizes";
  public static final String MORE_ROWS = "held_more_rows";
  public static final String SMALL_SIDE = "held_small_side";

  public static final String WITH_ORDER = "held_with_order";

  public static final String UNMEASURED_RESULT = "held_unmeasured_result";
  public static final String LARGE_RESULT = "held_large_result";

  public final String code;
  public final String reason;
  public final Map numbers = new LinkedHashMap();

  public Held(String code, String reason) {
    this.code = code;
    this.reason = reason;
  }

  public static Held otherValues() {
    return new Held(OTHER_VALUES, "its filters have other values than those it was measured with");
  }

  /** A relation that is outside of what an order holds for, of several ranges the nearest. */
  public static Held otherSizes(BigInteger bytes, long least, long most, int ranges) {
    String reason = "a relation of its block has " + bytes + " bytes, the order holds from " + least + " to " + most;
    Held held = ranges > 1
        ? new Held(BETWEEN_SIZES, reason + ", the nearest of " + ranges + " ranges")
        : new Held(OTHER_SIZES, reason);
    held.with("bytes", bytes).with("least_bytes", BigInteger.valueOf(least)).with("most_bytes", BigInteger.valueOf(most));
    return ranges > 1 ? held.with("ranges", BigInteger.valueOf(ranges)) : held;
  }

  public static Held moreRows(long rows, long most) {
    String reason = "a filter keeps " + rows + " rows or more by the histogram of its column, the order holds for " + most;
    return new Held(MORE_ROWS, reason).with("rows", BigInteger.valueOf(rows)).with("most_rows", BigInteger.valueOf(most));
  }

  public static Held largeResult(long bytes, long most) {
    String reason = "the rows that were counted take " + bytes + " bytes as a hash table, the most is " + most;
    return new Held(LARGE_RESULT, reason).with("bytes", BigInteger.valueOf(bytes))
        .with("most_bytes", BigInteger.valueOf(most));
  }

  public static Held uncounted(String why) {
    return new Held(UNMEASURED_RESULT, "what it builds cannot be counted first: " + why);
  }

  public static Held smallSide(BigInteger bytes, long most) {
    String reason = "Spark takes a side for " + bytes + " bytes and broadcasts it by itself, as it does up to " + most;
    return new Held(SMALL_SIDE, reason).with("bytes", bytes).with("most_bytes", BigInteger.valueOf(most));
  }

  /** A source that does not know its size says what no long holds. */
  public Held with(String name, BigInteger number) {
    numbers.put(name, Long.valueOf(number.min(BigInteger.valueOf(Long.MAX_VALUE)).longValue()));
    return this;
  }
}
