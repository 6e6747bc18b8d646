//! PageRank of a surfer who jumps to few nodes, found near them: what a node holds is pushed on along its arcs.

use super::super::walk::Arcs;
use crate::collection::progress::Meter;
use crate::graph::GraphError;
use std::collections::VecDeque;

/// A threshold below which nothing is pushed; lowered by this when nothing is left above it.
const FIRST: f64 = 1e-2;
const LOWER: f64 = 0.25;

/// What was found.
#[derive(Debug)]
pub struct Pushed {
    /// In order.
    pub nodes: Vec<u32>,
    pub scores: Vec<f64>,
    /// What is still held: the sum of all that the scores are too small by.
    pub left: f64,
    pub num_arcs: u64,
}

/// Pushes from the nodes of `seeds`, each with its share, until no more than `tolerance` is held. A node without arcs
/// sends to the seeds what it would pass on. The meter counts pushes.
pub fn push(
    arcs: &Arcs<'_>,
    num_nodes: usize,
    seeds: &[(u32, f64)],
    alpha: f64,
    tolerance: f64,
    meter: &Meter,
) -> Result<Pushed, GraphError> {
    arcs.check(num_nodes)?;
    if seeds.iter().any(|seed| seed.0 as usize >= num_nodes) {
        let message = format!("seeds: expected nodes below {num_nodes}, got others");
        return Err(GraphError::Arrays(message));
    }
    let (mut scores, mut held) = (vec![0.0; num_nodes], vec![0.0; num_nodes]);
    let mut is_waiting = vec![false; num_nodes];
    let (mut touched, mut queue) = (Vec::new(), VecDeque::new());
    let mut left = 0.0;
    for &(node, share) in seeds {
        if held[node as usize] == 0.0 && share > 0.0 {
            touched.push(node);
        }
        held[node as usize] += share;
        left += share;
    }
    let (mut threshold, mut num_arcs) = (FIRST, 0);
    while left > tolerance {
        for &node in &touched {
            if held[node as usize] >= threshold {
                is_waiting[node as usize] = true;
                queue.push_back(node);
            }
        }
        while let Some(node) = queue.pop_front() {
            let place = node as usize;
            is_waiting[place] = false;
            let amount = std::mem::take(&mut held[place]);
            scores[place] += (1.0 - alpha) * amount;
            left -= (1.0 - alpha) * amount;
            let mut give = |target: u32, given: f64| {
                let target_place = target as usize;
                if held[target_place] == 0.0 && scores[target_place] == 0.0 {
                    touched.push(target);
                }
                held[target_place] += given;
                if held[target_place] >= threshold && !is_waiting[target_place] {
                    is_waiting[target_place] = true;
                    queue.push_back(target);
                }
            };
            arcs.read(place..place + 1, meter, |lists| {
                let (list, weights) = lists.get(0);
                let total = weights.map_or(list.len() as f64, |weights| weights.iter().sum());
                num_arcs += list.len() as u64;
                if total > 0.0 {
                    for (nth, &target) in list.iter().enumerate() {
                        let weight = weights.map_or(1.0, |weights| weights[nth]);
                        give(target, alpha * amount * weight / total);
                    }
                } else {
                    for &(seed, share) in seeds {
                        give(seed, alpha * amount * share);
                    }
                }
            })?;
            if left <= tolerance {
                break;
            }
        }
        queue.clear();
        is_waiting.fill(false);
        // summed anew, so that no rounding gathers in it
        left = touched.iter().map(|&node| held[node as usize]).sum();
        threshold *= LOWER;
    }
    touched.sort_unstable();
    touched.dedup();
    touched.retain(|&node| scores[node as usize] > 0.0);
    Ok(Pushed {
        scores: touched.iter().map(|&node| scores[node as usize]).collect(),
        nodes: touched,
        left,
        num_arcs,
    })
}
