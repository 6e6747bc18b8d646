import it.unimi.dsi.webgraph.BVGraph;
import it.unimi.dsi.webgraph.examples.IntegerTriplesArcLabelledImmutableGraph;
import it.unimi.dsi.webgraph.labelling.ArcRelabelledImmutableGraph;
import it.unimi.dsi.webgraph.labelling.ArcLabelledImmutableGraph;
import it.unimi.dsi.webgraph.labelling.BitStreamArcLabelledImmutableGraph;
import it.unimi.dsi.webgraph.labelling.FixedWidthIntLabel;
import it.unimi.dsi.webgraph.labelling.FixedWidthIntListLabel;
import it.unimi.dsi.webgraph.labelling.Label;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** Stores a graph with labels, of lines "source target mask": BASENAME TRIPLES KIND, one of gamma, fixed and list. */
public class StoreLabels {
    public static void main(String[] arguments) throws Exception {
        List<String> lines = Files.readAllLines(Path.of(arguments[1]));
        int[][] triples = new int[lines.size()][];
        for (int place = 0; place < triples.length; place++) {
            triples[place] = java.util.Arrays.stream(lines.get(place).split(" ")).mapToInt(Integer::parseInt).toArray();
        }
        ArcLabelledImmutableGraph graph = new IntegerTriplesArcLabelledImmutableGraph(triples);
        if (arguments[2].equals("fixed")) {
            graph = new ArcRelabelledImmutableGraph(graph, new FixedWidthIntLabel("time", 12), (from, to, source, target) -> {
                ((FixedWidthIntLabel) to).value = from.getInt();
            });
        }
        if (arguments[2].equals("list")) {
            graph = new ArcRelabelledImmutableGraph(graph, new FixedWidthIntListLabel("time", 4), (from, to, source, target) -> {
                int mask = from.getInt();
                ((FixedWidthIntListLabel) to).value = IntStream.range(0, 12).filter(bit -> (mask >> bit & 1) == 1).toArray();
            });
        }
        BVGraph.store(graph, arguments[0] + "-below");
        BitStreamArcLabelledImmutableGraph.store(graph, arguments[0], new File(arguments[0]).getName() + "-below");
    }
}
