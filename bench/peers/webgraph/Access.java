// WebGraph in Java goes through a graph: `java -cp … Access.java BASENAME random|sequential NODES`, as
// ../webgraph_access.rs does. Best of 5, so that the compiler has seen the loop.

import it.unimi.dsi.webgraph.ImmutableGraph;
import it.unimi.dsi.webgraph.LazyIntIterator;
import it.unimi.dsi.webgraph.NodeIterator;
import java.lang.management.ManagementFactory;

public class Access {
    static long arcs, sum;

    public static void main(String[] words) throws Exception {
        ImmutableGraph graph = ImmutableGraph.load(words[0]);
        int[] asked = new int[Integer.parseInt(words[2])];
        long state = 42;
        for (int place = 0; place < asked.length; place++) {
            state += 0x9E3779B97F4A7C15L;
            long drawn = (state ^ (state >>> 30)) * 0xBF58476D1CE4E5B9L;
            drawn = (drawn ^ (drawn >>> 27)) * 0x94D049BB133111EBL;
            asked[place] = (int) Long.remainderUnsigned(drawn ^ (drawn >>> 31), graph.numNodes());
        }
        double best = Double.MAX_VALUE;
        for (int round = 0; round < 5; round++) {
            arcs = sum = 0;
            long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            if (words[1].equals("random")) random(graph, asked);
            else sequential(graph);
            long end = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            best = Math.min(best, (end - start) / (double) arcs);
        }
        System.out.println("{\"value\": " + best + ", \"arcs\": " + arcs + ", \"sum\": " + sum + "}");
    }

    static void random(ImmutableGraph graph, int[] asked) {
        for (int node : asked) {
            LazyIntIterator successors = graph.successors(node);
            for (int next; (next = successors.nextInt()) != -1; ) {
                arcs++;
                sum += next;
            }
        }
    }

    static void sequential(ImmutableGraph graph) {
        NodeIterator nodes = graph.nodeIterator();
        while (nodes.hasNext()) {
            nodes.nextInt();
            int degree = nodes.outdegree();
            int[] successors = nodes.successorArray();
            for (int place = 0; place < degree; place++) {
                arcs++;
                sum += successors[place];
            }
        }
    }
}
