package tuner.steering.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** JSON as Jackson reads it; what is not there is a missing node, never null. */
public final class Json {
  private Json() {}

  public static JsonNode read(String text) throws java.io.IOException {
    return (JsonNode) new ObjectMapper().readTree(text);
  }

  public static JsonNode field(JsonNode node, String name) {
    return (JsonNode) node.path(name);
  }

  public static JsonNode element(JsonNode node, int index) {
    return (JsonNode) node.path(index);
  }

  public static String text(JsonNode node, String name) {
    return field(node, name).asText();
  }

  /** The texts of an array, sorted. */
  public static List sortedTexts(JsonNode array) {
    List found = new ArrayList();
    for (int i = 0; i < array.size(); i++) found.add(element(array, i).asText());
    Collections.sort(found);
    return found;
  }
}
