import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jpmml.evaluator.Evaluator;
import org.jpmml.evaluator.EvaluatorUtil;
import org.jpmml.evaluator.HasProbability;
import org.jpmml.evaluator.LoadingModelEvaluatorBuilder;

/**
 * JPMML's results for the rows of a folder: NAME.pmml and NAME.rows.tsv give NAME.results.tsv. An empty cell is a missing value. The
 * result of a row is its prediction, and the probability of each class that the head of the file names after a bar. A row that the
 * evaluator refuses, or has no result for, is a line with a question mark.
 */
final class Evaluate {

	public static void main(String[] args) throws Exception {
		File[] models = new File(args[0]).listFiles((folder, name) -> name.endsWith(".pmml"));
		for(File model : models){
			String stem = model.getPath().replaceAll("\\.pmml$", "");
			Path rows = Path.of(stem + ".rows.tsv");
			if(Files.exists(rows)) Files.write(Path.of(stem + ".results.tsv"), evaluate(model, Files.readAllLines(rows)));
		}
	}

	private static List<String> evaluate(File model, List<String> lines) throws Exception {
		Evaluator evaluator = new LoadingModelEvaluatorBuilder().load(model).build();
		String[] head = lines.get(0).split("\\|", -1);
		String[] names = head[0].split("\t", -1);
		String[] classes = head[1].isEmpty() ? new String[0] : head[1].split("\t", -1);
		return lines.stream().skip(1).map(line -> evaluateRow(evaluator, names, classes, line.split("\t", -1))).collect(Collectors.toList());
	}

	private static String evaluateRow(Evaluator evaluator, String[] names, String[] classes, String[] cells){
		Map<String, Object> row = new LinkedHashMap<>();
		for(int f = 0; f < names.length; f++) row.put(names[f], cells[f].isEmpty() ? null : cells[f]);
		try {
			Map<String, ?> results = evaluator.evaluate(row);
			Object target = results.get(evaluator.getTargetFields().get(0).getName());
			if(target == null) return "?";
			List<String> shown = new ArrayList<>();
			Object decoded = EvaluatorUtil.decode(target);
			shown.add(classes.length > 0 ? decoded.toString() : show(decoded));
			if(target instanceof HasProbability) for(String name : classes) shown.add(show(probability((HasProbability)target, name)));
			return String.join("\t", shown);
		} catch(RuntimeException refusal){
			return "?";
		}
	}

	/** Categories are numbers or texts, as the type of the target is. */
	private static Double probability(HasProbability target, String name){
		for(Object category : target.getCategories()) if(category.toString().equals(name)) return target.getProbability(category);
		return 0d;
	}

	private static String show(Object value){
		return value instanceof Number ? Double.toString(((Number)value).doubleValue()) : value.toString();
	}
}
