package tuner.steering.agent;

import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetArrayItem;
import org.apache.spark.sql.catalyst.expressions.Like;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.PivotFirst;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StringType;

/**
 * What raises no error, whatever row it is given. Another order or another kind of join asks expressions of other rows:
 * one that was never asked of a bad row would be, and a healthy job would fail.
 *
 * A list of what is allowed, each with its reason: what is not on it may fail. Whether arithmetic and casts raise errors
 * is told by the expression itself, which keeps what ANSI was where it was made, not by the session.
 */
public final class NeverFails {
  private static final Set ALWAYS = new HashSet();
  private static final int MOST_OF_PATTERN = 200;
  private static final BigDecimal LONGEST_CHAR = BigDecimal.valueOf(65535);
  // What is padded for each element of an array.
  private static final BigDecimal LONGEST_ELEMENT = BigDecimal.valueOf(50);
  // One that repeats, and one that changes how the rest is read.
  private static final Pattern NO_PLAIN_GROUP = Pattern.compile("\\)[*+?{]|\\(\\?");
  // What repeats up to a high count, or takes several characters, is matched by recursion: once for each change of its length.
  private static final Pattern OF_LENGTHS = Pattern.compile("\\\\[RX]|\\{(?:\\d+,)?(?:[5-9]\\d\\d|\\d{4})");
  // An element far behind, or all of all.
  private static final Pattern DEEP_PATH = Pattern.compile("\\[\\s*\\d{4}|\\[\\s*\\*(?s:.)*\\[\\s*\\*");
  private static final Pattern PLAIN_FORMAT = 
      Pattern.compile("(?:yyyy(?!y)|MM(?!M)|dd(?!d)|HH(?!H)|mm(?!m)|ss(?!s)|[-/:._ ])+");

  static {
    // Values and names.
    allow("AttributeReference Literal Alias OuterReference");
    // Comparisons: the orderings of all types that Spark compares are total.
    allow("EqualTo EqualNullSafe LessThan LessThanOrEqual GreaterThan GreaterThanOrEqual In InSet InSubquery");
    allow("IsNull IsNotNull IsNaN AtLeastNNonNulls And Or Not");
    // These choose among their inputs, or hand one on.
    allow("Coalesce If CaseWhen NaNvl Least Greatest KnownNotNull KnownNullable PromotePrecision UnaryPositive");
    allow("KnownFloatingPointNormalized NormalizeNaNAndZero KnownNotContainsNull");
    // Strings: as many characters as go in, or a few more; positions outside are cut.
    allow("Upper Lower InitCap StringTrim StringTrimLeft StringTrimRight Length OctetLength BitLength Substring Reverse");
    allow("StartsWith EndsWith Contains StringInstr StringLocate StringTranslate Ascii");
    // As many as all inputs have together, which one row holds.
    allow("ConcatWs CreateArray");
    // Digests of any bytes; a number of bits that SHA-2 has not gives null.
    allow("Md5 Sha1 Sha2 Crc32");
    // Bits: those that leave their type are dropped. Floating point has NaN and infinity for what has no value.
    allow("BitwiseAnd BitwiseOr BitwiseXor BitwiseNot BitwiseCount ShiftLeft ShiftRight ShiftRightUnsigned");
    allow("Sqrt Cbrt Exp Expm1 Log Log10 Log2 Log1p Logarithm Pow Signum Rint");
    allow("Sin Cos Tan Asin Acos Atan Atan2 ToDegrees ToRadians");
    // What an array or a map has of it, no more elements than it has, and each element by itself.
    allow("Size ArrayContains ArraysOverlap MapKeys MapValues MapEntries GetArrayStructFields ArrayPosition ArrayMin ArrayMax");
    allow("ArrayDistinct ArrayIntersect ArrayExcept ArrayRemove SortArray");
    allow("ArrayFilter ArrayExists ArrayForAll LambdaFunction NamedLambdaVariable");
    // Parts of dates and times; days are added and subtracted as integers that wrap around (DateAdd, DateSub, DateDiff, LastDay).
    allow("Year Quarter Month DayOfMonth DayOfWeek DayOfYear WeekDay WeekOfYear Hour Minute Second");
    allow("DateAdd DateSub DateDiff LastDay UnixDate UnixSeconds UnixMillis UnixMicros");
    // Fields that are there by their type; hashes of whatever may be grouped.
    allow("GetStructField CreateNamedStruct XxHash64 Murmur3Hash");
    // Below a join these see the same rows in every order of the joins above: what they raise, they raise in all.
    allow("AggregateExpression Count Sum Average Min Max First Last CollectList CollectSet StddevSamp StddevPop");
    allow("VarianceSamp VariancePop HyperLogLogPlusPlus WindowExpression WindowSpecDefinition SpecifiedWindowFrame");
    allow("MaxBy MinBy ApproximatePercentile CovSample CovPopulation BitAndAgg BitOrAgg BitXorAgg");
    allow("UnspecifiedFrame$ UnboundedPreceding$ UnboundedFollowing$ CurrentRow$ RowNumber Rank DenseRank PercentRank");
    allow("CumeDist NTile Lag Lead NthValue");
    // How Spark adds up small decimals (DecimalAggregates): as long integers, made decimals of once they are summed.
    allow("UnscaledValue");
    // What is null or empty makes no rows; orders, and the columns of grouping sets.
    allow("Explode PosExplode Inline SortOrder");
  }

  /** Operators that run nothing but their expressions; the functions of Dataset and pandas run code of the job's own. */
  private static final Set RELATIONAL = new HashSet(Arrays.asList(new Object[] {
      "Project", "Filter", "Join", "Aggregate", "Window", "WindowGroupLimit", "Sort", "Union", "Distinct", "Generate",
      "Expand", "GlobalLimit", "LocalLimit", "Offset", "Repartition", "RepartitionByExpression", "RebalancePartitions",
      "SubqueryAlias", "WithCTE", "CTERelationDef"}));

  private NeverFails() {}

  private static void allow(String names) {
    ALWAYS.addAll(Arrays.asList(names.split(" ")));
  }

  /** What of an expression may raise an error, by its SQL name; null for nothing. */
  public static String obstacle(Expression expression) {
    return obstacle(expression, null);
  }

  /** The same of an expression of a plan. */
  private static String obstacle(Expression expression, LogicalPlan plan) {
    boolean isOfPivot = expression instanceof GetArrayItem && PivotArrays.hasPlace((GetArrayItem) expression, plan);
    if (!isOfPivot && !isTotal(expression)) return expression.prettyName();
    List children = Trees.list(expression.children());
    for (int i = 0; i < children.size(); i++) {
      String found = obstacle((Expression) children.get(i), plan);
      if (found != null) return found;
    }
    return null;
  }

  /** What of a plan may raise an error, its subqueries left aside, which run by themselves; null for nothing. */
  public static String obstacle(LogicalPlan plan) {
    List children = Trees.children(plan);
    if (children.isEmpty()) return null;
    String name = plan.getClass().getSimpleName();
    if (!RELATIONAL.contains(name)) return name;
    List expressions = Trees.list(plan.expressions());
    for (int i = 0; i < expressions.size(); i++) {
      String found = obstacle((Expression) expressions.get(i), plan);
      if (found != null) return found;
    }
    for (int i = 0; i < children.size(); i++) {
      String found = obstacle((LogicalPlan) children.get(i));
      if (found != null) return found;
    }
    return null;
  }

  /** Whether an expression raises nothing where its inputs do not. */
  private static boolean isTotal(Expression expression) {
    String name = expression.getClass().getSimpleName();
    if (ALWAYS.contains(name) || expression instanceof PlanExpression) return true;
    if (expression instanceof Cast) return isTotalCast((Cast) expression);
    if (expression instanceof Like) return isPlainPattern((Like) expression);
    if (expression instanceof GetArrayItem) return !raises(expression);
    if (expression instanceof PivotFirst) return PivotArrays.hasAllPlaces((PivotFirst) expression);
    // Of a key that is not there it is null; Spark 3.3 may raise an error, and then has a flag for it (SPARK-40066).
    if (name.equals("GetMapValue")) return !Boolean.TRUE.equals(value(expression, "failOnError"));
    if (name.equals("ElementAt")) return isElement(expression);
    // Of arrays there may be too many elements.
    if (name.equals("Concat")) return expression.dataType() instanceof StringType;
    if (isNamed(name, "Ceil Floor Round BRound")) return isRounded(expression);
    if (name.equals("StringReplace")) return isNoLonger(expression);
    if (isNamed(name, "StaticInvoke StringRPad StringLPad")) return isPadded(expression);
    if (name.equals("SubstringIndex")) return isCounted(expression);
    // A value that counts less often than never is an error.
    if (name.equals("Percentile")) return isPositive(number(input(expression, 2)));
    if (name.equals("ArrayTransform")) return isOfElements(input(expression, 1));
    if (name.equals("ArrayJoin")) return text(input(expression, 1)) != null && Trees.list(expression.children()).size() == 2;
    // What a text is split into has no more parts than it has characters.
    if (isNamed(name, "RLike RegExpReplace RegExpExtract StringSplit")) return isPlainRegex(expression, name);
    // What is no JSON, or has no such path, is null.
    if (name.equals("GetJsonObject")) return isShallow(text(input(expression, 1)));
    if (isNamed(name, "DateFormatClass FromUnixTime")) return isPlainFormat(expression);
    if (name.equals("TruncDate")) return isTruncated(expression);
    if (isNamed(name, "ToUnixTimestamp UnixTimestamp")) return isTime(input(expression, 0).dataType());
    // A filter that Spark or the agent made of a subquery's keys answers for any hash (InjectRuntimeFilter).
    if (name.equals("BloomFilterMightContain")) return Trees.list(expression.children()).get(0) instanceof PlanExpression;
    if (name.equals("MakeDecimal")) return isOfAggregate(expression);
    if (name.equals("CheckOverflow")) return Boolean.TRUE.equals(value(expression, "nullOnOverflow"));
    if (isNamed(name, "IntegralDivide Remainder Pmod") && !hasQuotient(expression)) return false;
    if (isNamed(name, "Add Subtract Multiply UnaryMinus Abs Divide IntegralDivide Remainder Pmod")) {
      return isNumber(expression.dataType()) && (!raises(expression) || isExact(expression, name));
    }
    return false;
  }

  /** What Spark does with columns of type CHAR as it reads and compares them (ApplyCharTypePadding). */
  private static boolean isPadded(Expression expression) {
    List inputs = Trees.list(expression.children());
    if (expression.getClass().getSimpleName().equals("StaticInvoke")) {
      Object of = value(expression, "staticObject");
      boolean isSparks = of instanceof Class && ((Class) of).getName().endsWith(".CharVarcharCodegenUtils");
      return isSparks && "readSidePadding".equals(value(expression, "functionName"));
    }
    BigDecimal length = number((Expression) inputs.get(1));
    return length != null && length.compareTo(LONGEST_CHAR) <= 0 && text((Expression) inputs.get(2)) != null;
  }

  /**
   * Whether what an array is made into is of what each element brings, and little more: what is beside them, as what a lambda around
   * this one is given (NamedLambdaVariable.references), would come once with each.
   */
  private static boolean isOfElements(Expression lambda) {
    return Trees.references(lambda).isEmpty() && !padsFar(lambda);
  }

  /** Whether a text in an expression may be padded to more than few characters. */
  private static boolean padsFar(Expression expression) {
    if (isNamed(expression.getClass().getSimpleName(), "StringRPad StringLPad")) {
      BigDecimal length = number(input(expression, 1));
      if (length == null || length.compareTo(LONGEST_ELEMENT) > 0) return true;
    }
    List children = Trees.list(expression.children());
    for (int i = 0; i < children.size(); i++) if (padsFar((Expression) children.get(i))) return true;
    return false;
  }

  /** An element by a place that is written there, where the first one is 1; of a map by any key. */
  private static boolean isElement(Expression element) {
    BigDecimal place = number(input(element, 1));
    boolean isOfMap = input(element, 0).dataType() instanceof MapType;
    return !raises(element) && (isOfMap || place != null && place.signum() != 0 && hasOpposite(place));
  }

  /** Up to so many delimiters as are written there. */
  private static boolean isCounted(Expression substring) {
    BigDecimal count = number(input(substring, 2));
    return count != null && hasOpposite(count);
  }

  private static boolean isPositive(BigDecimal number) {
    return number != null && number.signum() > 0;
  }

  /** What counts from the end takes its opposite, which the smallest integer has not. */
  private static boolean hasOpposite(BigDecimal place) {
    return place.compareTo(BigDecimal.valueOf(Integer.MIN_VALUE)) > 0;
  }

  private static boolean isOfAggregate(Expression expression) {
    String child = Trees.list(expression.children()).get(0).getClass().getSimpleName();
    return child.equals("AggregateExpression") || child.equals("WindowExpression");
  }

  private static Expression input(Expression of, int place) {
    return (Expression) Trees.list(of.children()).get(place);
  }

  private static boolean isNamed(String name, String names) {
    return Arrays.asList(names.split(" ")).contains(name);
  }

  /**
   * Whether an expression raises errors rather than give null or wrap around. Spark 3.3 keeps a flag in it, later ones its
   * evaluation mode (SPARK-40222), a sum that of 4 in its context; where neither is found, it may.
   */
  public static boolean raises(Expression expression) {
    Object mode = value(expression, "evalMode");
    Object context = mode == null ? value(expression, "evalContext") : null;
    if (context != null) mode = value(context, "evalMode");
    if (mode != null) return mode.toString().equals("ANSI");
    Object flag = value(expression, "failOnError");
    if (flag == null) flag = value(expression, "ansiEnabled");
    return !Boolean.FALSE.equals(flag);
  }

  private static Object value(Object of, String method) {
    try {
      Method found = of.getClass().getMethod(method, new Class[0]);
      return found.invoke(of, new Object[0]);
    } catch (Exception error) {
      return null;
    }
  }

  /** Whether a whole quotient has no more digits than a decimal has: one that has more raises an error, ANSI or not (Decimal.%). */
  private static boolean hasQuotient(Expression division) {
    DataType left = input(division, 0).dataType();
    DataType right = input(division, 1).dataType();
    if (!(left instanceof DecimalType && right instanceof DecimalType)) return true;
    int before = ((DecimalType) left).precision() - ((DecimalType) left).scale();
    return isAtLeastOne(input(division, 1)) || before + ((DecimalType) right).scale() <= DecimalType.MAX_PRECISION();
  }

  private static boolean isAtLeastOne(Expression divisor) {
    BigDecimal number = number(divisor);
    return number != null && number.abs().compareTo(BigDecimal.ONE) >= 0;
  }

  /** Arithmetic that cannot leave its type though it would raise an error if it did. */
  private static boolean isExact(Expression expression, String name) {
    List inputs = Trees.list(expression.children());
    DataType type = expression.dataType();
    if (isNamed(name, "UnaryMinus Abs")) return isFloating(type) || type instanceof DecimalType;
    Expression right = (Expression) inputs.get(1);
    boolean divides = isAtLeastOne(right);
    if (isNamed(name, "Remainder Pmod")) return divides;
    // The smallest number by minus one is one too large.
    if (name.equals("IntegralDivide")) return divides && number(right).signum() > 0;
    if (name.equals("Divide") && !divides) return false;
    if (isFloating(type)) return true;
    DataType left = ((Expression) inputs.get(0)).dataType();
    if (!(type instanceof DecimalType && left instanceof DecimalType && right.dataType() instanceof DecimalType)) return false;
    return isWide((DecimalType) type, (DecimalType) left, (DecimalType) right.dataType(), name);
  }

  /** Whether a decimal has all digits of a result (DecimalPrecision, without what it cuts at 38). */
  private static boolean isWide(DecimalType type, DecimalType left, DecimalType right, String name) {
    int before = type.precision() - type.scale();
    int ofLeft = left.precision() - left.scale();
    int ofRight = right.precision() - right.scale();
    // By at least one: no quotient is larger than what is divided.
    if (name.equals("Divide")) return type.scale() >= left.scale() && before >= ofLeft;
    if (name.equals("Multiply")) return type.scale() >= left.scale() + right.scale() && before >= ofLeft + ofRight;
    return type.scale() >= Math.max(left.scale(), right.scale()) && before >= Math.max(ofLeft, ofRight) + 1;
  }

  /** A path that is written there. Elements are passed over, and arrays in arrays flattened, by recursion (GetJsonObject). */
  private static boolean isShallow(String path) {
    return path != null && !DEEP_PATH.matcher(path).find();
  }

  /** A number that is written there, null for what is none. */
  private static BigDecimal number(Expression expression) {
    String text = text(expression);
    if (text == null) return null;
    try {
      return new BigDecimal(text);
    } catch (NumberFormatException error) {
      return null;
    }
  }

  /** `LIKE` a pattern that is written there, without an escape: one that is wrong fails on the first row. */
  private static boolean isPlainPattern(Like like) {
    String pattern = text(like.right());
    return pattern != null && pattern.indexOf(like.escapeChar()) < 0;
  }

  /** What is written there, as text; null for what is computed, and for null. */
  private static String text(Expression expression) {
    if (!(expression instanceof Literal) || ((Literal) expression).value() == null) return null;
    return ((Literal) expression).value().toString();
  }

  /** A replacement that is written there, as is what it replaces, and makes no text longer. */
  private static boolean isNoLonger(Expression replace) {
    List inputs = Trees.list(replace.children());
    String found = text((Expression) inputs.get(1));
    String by = text((Expression) inputs.get(2));
    return found != null && by != null && by.length() <= found.length();
  }

  /**
   * A regular expression that is written there and that Java compiles, without groups that repeat: they are matched by
   * recursion, as deep as the text is long. What replaces its matches has one character at most, and names no group; a group
   * that is taken out is one of its own.
   */
  private static boolean isPlainRegex(Expression expression, String name) {
    List inputs = Trees.list(expression.children());
    String pattern = text((Expression) inputs.get(1));
    if (pattern == null || pattern.length() > MOST_OF_PATTERN) return false;
    if (NO_PLAIN_GROUP.matcher(pattern).find() || OF_LENGTHS.matcher(pattern).find()) return false;
    int groups;
    try {
      groups = Pattern.compile(pattern).matcher("").groupCount();
    } catch (PatternSyntaxException error) {
      return false;
    }
    if (isNamed(name, "RLike StringSplit")) return true;
    if (name.equals("RegExpExtract")) {
      BigDecimal group = number((Expression) inputs.get(2));
      return group != null && group.signum() >= 0 && group.compareTo(BigDecimal.valueOf(groups)) <= 0;
    }
    String by = text((Expression) inputs.get(2));
    return by != null && (by.isEmpty() || by.length() == 1 && "$\\".indexOf(by) < 0);
  }

  /** A format of years, months, days and times of day by numbers, as DateTimeFormatter has it (not SimpleDateFormat). */
  private static boolean isPlainFormat(Expression format) {
    String pattern = text((Expression) Trees.list(format.children()).get(1));
    String policy = SQLConf.get().getConfString("spark.sql.legacy.timeParserPolicy", "EXCEPTION");
    return pattern != null && !policy.equalsIgnoreCase("LEGACY") && PLAIN_FORMAT.matcher(pattern).matches();
  }

  /** The first day of a week, month or year, by integers that wrap around; a quarter's may be none (truncDate). */
  private static boolean isTruncated(Expression truncate) {
    String level = text(input(truncate, 1));
    return level != null && isNamed(level.toUpperCase(Locale.ROOT), "WEEK MON MONTH MM YEAR YYYY YY");
  }

  private static boolean isTime(DataType type) {
    return isNamed(type.typeName(), "timestamp timestamp_ntz");
  }

  /**
   * Rounding to decimals and floating point that the type has room for, with a digit for what is carried. What makes a whole
   * number of NaN or infinity (Floor and Ceil) raises an error under ANSI.
   */
  private static boolean isRounded(Expression round) {
    List inputs = Trees.list(round.children());
    DataType from = ((Expression) inputs.get(0)).dataType();
    DataType to = round.dataType();
    if (inputs.size() == 2 && number((Expression) inputs.get(1)) == null) return false;
    if (inputs.size() > 2) return false;
    if (isFloating(from)) return isFloating(to);
    if (!(from instanceof DecimalType)) return inputs.size() == 1 && WHOLE.contains(from.typeName());
    if (!(to instanceof DecimalType)) return false;
    DecimalType narrow = (DecimalType) from;
    int before = ((DecimalType) to).precision() - ((DecimalType) to).scale();
    return narrow.scale() >= 0 && (narrow.scale() == 0 && inputs.size() == 1 || before > narrow.precision() - narrow.scale());
  }

  /** Casts between plain types that hold every value, or give null for it where the cast does not raise errors. */
  private static boolean isTotalCast(Cast cast) {
    DataType from = cast.child().dataType();
    DataType to = cast.dataType();
    if (from.equals(to)) return true;
    // A text is bytes.
    if (to.typeName().equals("binary")) return from instanceof StringType;
    // CHAR and VARCHAR have a length that a text may exceed.
    boolean toText = to instanceof StringType && to.getClass().getSimpleName().startsWith("StringType");
    if (toText) return isNumber(from) || isTime(from) || isNamed(from.typeName(), "boolean date") || from instanceof StringType;
    if (isNumber(from) && isNumber(to) && isWider(from, to)) return true;
    if (to instanceof DecimalType && hasDigits((DecimalType) to, cast.child())) return true;
    if (isNumber(from) && to.typeName().equals("boolean")) return true;
    if (from.typeName().equals("boolean") && (WHOLE.contains(to.typeName()) || isFloating(to))) return true;
    if (isTime(from) && isNamed(to.typeName(), "long double")) return true;
    // A moment is on some day; a day's first moment may lie beyond what a timestamp holds.
    if (from.typeName().startsWith("timestamp")) return to.typeName().equals("date");
    // By its exponent a text may have billions of digits, which Sparks before 4.3 write out (Decimal.fromString).
    if (from instanceof StringType && to instanceof DecimalType) return false;
    boolean isPlain = isNumber(from) || from instanceof StringType || isNamed(from.typeName(), "boolean date");
    boolean isTime = from.typeName().equals("date") && to.typeName().startsWith("timestamp");
    return !raises(cast) && isPlain && !isTime
        && (isNumber(to) || isNamed(to.typeName(), "boolean date") || to.typeName().startsWith("timestamp"));
  }

  private static final List WHOLE = Arrays.asList(new Object[] {"byte", "short", "integer", "long"});
  private static final int[] DIGITS = {3, 5, 10, 19};

  /** Whether a number type holds every value of another, but for the last digits of floating point. */
  private static boolean isWider(DataType from, DataType to) {
    int whole = WHOLE.indexOf(from.typeName());
    if (isFloating(to)) return to.typeName().equals("double") || !from.typeName().equals("double");
    if (to instanceof DecimalType) {
      int before = ((DecimalType) to).precision() - ((DecimalType) to).scale();
      if (!(from instanceof DecimalType)) return false;
      DecimalType narrow = (DecimalType) from;
      return ((DecimalType) to).scale() >= narrow.scale() && before >= narrow.precision() - narrow.scale();
    }
    return whole >= 0 && whole <= WHOLE.indexOf(to.typeName());
  }

  /** Whether a decimal has all digits before the point that a number may have. */
  private static boolean hasDigits(DecimalType type, Expression number) {
    return type.precision() - type.scale() >= digitsBefore(number);
  }

  /** How many digits before its point a whole number has at most, or one divided as floating point, as cents are by 100. */
  private static int digitsBefore(Expression number) {
    DataType type = number.dataType();
    int whole = WHOLE.indexOf(type.typeName());
    int most = whole < 0 ? Integer.MAX_VALUE : DIGITS[whole];
    boolean isDivided = number.getClass().getSimpleName().equals("Divide") && isAtLeastOne(input(number, 1));
    boolean isNoLarger = number instanceof Cast || isDivided;
    return isNumber(type) && isNoLarger ? Math.min(most, digitsBefore(input(number, 0))) : most;
  }

  private static boolean isNumber(DataType type) {
    return WHOLE.contains(type.typeName()) || isFloating(type) || type instanceof DecimalType;
  }

  private static boolean isFloating(DataType type) {
    return type.typeName().equals("double") || type.typeName().equals("float");
  }
}
