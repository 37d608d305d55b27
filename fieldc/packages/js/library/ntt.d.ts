import { Field, Vector } from "./field.js";

/**
 * The number-theoretic transform of vectors of one length 2^k. It keeps two tables as long as they.
 * A method throws what a Field throws; the constructor throws a RangeError where p has no root.
 */
export class Ntt {
  constructor(field: Field, length: number);
  readonly length: number;
  /** The root of unity of order `length` whose powers are taken, as in Rust, C and Python. */
  readonly root: bigint;
  /**
   * z = the values at 1, root, root^2, ... of the polynomial whose coefficients x has. Returns z,
   * which may be x.
   */
  forward(z: Vector, x: Vector): Vector;
  /** Undoes forward. */
  inverse(z: Vector, x: Vector): Vector;
  /** Gives the memory of the tables back at once. */
  free(): void;
}
