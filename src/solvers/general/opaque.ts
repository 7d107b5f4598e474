/** Which models only general optimisers can search. */
import { atomsOf, type Problem } from '../../problems/problem.js';

/** A part of the region is known by the model's word alone. */
export const isOpaque = (problem: Problem): boolean =>
  atomsOf(problem, 'smooth').length > 0 || atomsOf(problem, 'oracle').length > 0;
