// What these types name is declared here too: projects without `dom` or `esnext.disposable` in `lib`
// have no other declaration of it.
declare global {
  namespace WebAssembly {
    interface Module {}
  }
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
}

/** A module of WebAssembly: in base64, as bytes or compiled. */
export type Wasm = string | ArrayBuffer | ArrayBufferView | WebAssembly.Module;

/** What a module of fieldc exports. */
export interface FieldModule {
  readonly name: string;
  readonly p: bigint;
  /** For every engine. */
  readonly wasm: Wasm;
  /** The same with arithmetic of 128 bits: taken where WebAssembly.validate accepts it. */
  readonly wide?: Wasm;
  /** A number that is no square modulo p: roots of unity are its powers. Absent: the least one. */
  readonly generator?: bigint;
  /**
   * An addition chain for square roots: steps [squarings, by, of, to] or [squarings, by]. Absent:
   * one by the exponent's bits.
   */
  readonly chain?: readonly (readonly number[])[];
  /** Numbers of elements of the result and of each operand, or its type, by the names of formulas. */
  readonly formulas?: Readonly<Record<string, readonly (number | IntegerType)[]>>;
  /** What makes functions of them: `formulasOf` of lib/formulas.js. Fields without formulas need none. */
  readonly formulasOf?: (...given: never[]) => Readonly<Record<string, Formula>>;
}

/** What an operand of a formula is that is no element: 0n or 1n, or an integer of so many bits. */
export type IntegerType = "mask" | "u64" | "u128" | "i64" | "i128";

/** An operand or a result of one element, or of several. */
export type Elements = bigint | readonly bigint[];

/** A formula whose operands and result are known: several elements are an array. */
export interface FormulaOf<Operands extends readonly unknown[], Result extends Elements> {
  /** On bigints: a wrong number of operands is a TypeError, of values in one a RangeError. */
  (...operands: Operands): Result;
  /** On vectors with the values of one call after those of another; integers are elements there. Returns z, which may be an operand. */
  vec(z: Vector, ...operands: { [Each in keyof Operands]: Vector }): Vector;
}

/** Any formula. `index.d.ts` of the package has each with its own operands. */
export type Formula = FormulaOf<any[], Elements>;

/**
 * Values side by side in a module's memory. A method throws a TypeError for a wrong type or after
 * `free`, and a RangeError for an index outside or a value that is not below p.
 */
export class Vector {
  private constructor();
  readonly field: Field;
  readonly length: number;
  get(index: number): bigint;
  set(index: number, value: bigint): void;
  toBigInts(): bigint[];
  /** Each value in field.byteLength bytes, least significant first. */
  toBytes(): Uint8Array;
  /** Gives the memory back at once; otherwise the garbage collector does. */
  free(): void;
  /** `using x = F.from(values)` frees x at the end of its block, in engines that have `using`. */
  [Symbol.dispose](): void;
}

/**
 * The integers modulo a prime. Bigints are values from 0 to p - 1. A method throws a TypeError for
 * a wrong type or a vector of another field, and a RangeError for a value outside, vectors of
 * different lengths, or the inverse of 0. After an exception no vector has changed.
 */
export class Field {
  protected constructor();
  /**
   * A field from modules that `fieldc build FIELD --package js` made. Rejects with a TypeError for
   * a wrong type, a RangeError for another modulus, and a CompileError for bytes that are no module.
   */
  static load(made: FieldModule): Promise<Field>;
  /** A field of any odd prime up to 1088 bits, on BigInt. */
  static fromModulus(p: bigint): Promise<Field>;

  readonly name: string;
  readonly p: bigint;
  readonly bits: number;
  /** Bytes of one value. */
  readonly byteLength: number;
  /** A number that is no square modulo p, where the module names one: transforms take its powers. */
  readonly generator?: bigint;
  /** The formulas of `fieldc build FIELD --package js --formula FILE.py`. */
  readonly formulas: Readonly<Record<string, Formula>>;

  add(a: bigint, b: bigint): bigint;
  sub(a: bigint, b: bigint): bigint;
  neg(a: bigint): bigint;
  mul(a: bigint, b: bigint): bigint;
  /** a*b + c. */
  mulAdd(a: bigint, b: bigint, c: bigint): bigint;
  square(a: bigint): bigint;
  inv(a: bigint): bigint;
  div(a: bigint, b: bigint): bigint;
  pow(a: bigint, exponent: bigint): bigint;
  /** The smaller square root, or null where there is none. */
  sqrt(a: bigint): bigint | null;
  /** Whether a is a square, as 0 is. */
  isSquare(a: bigint): boolean;

  /** A vector of zeros. */
  vector(length: number): Vector;
  /**
   * What `work` returns. Vectors of this field that it makes are freed then, except those that it
   * returns, alone or in an array. A promise is refused with a TypeError.
   */
  arena<T>(work: () => T): T;
  from(values: Iterable<bigint>): Vector;
  fromBytes(bytes: Uint8Array): Vector;
  fromBigInts(vector: Vector, values: Iterable<bigint>, offset?: number): Vector;
  toBigInts(vector: Vector, offset?: number, count?: number): bigint[];
  toBytes(vector: Vector): Uint8Array;

  /** Each returns z, which may be one of the operands. */
  addVec(z: Vector, x: Vector, y: Vector): Vector;
  subVec(z: Vector, x: Vector, y: Vector): Vector;
  mulVec(z: Vector, x: Vector, y: Vector): Vector;
  /** z = x*y + a; z may be any of them. */
  mulAddVec(z: Vector, x: Vector, y: Vector, a: Vector): Vector;
  negVec(z: Vector, x: Vector): Vector;
  doubleVec(z: Vector, x: Vector): Vector;
  squareVec(z: Vector, x: Vector): Vector;
  scaleVec(z: Vector, x: Vector, a: bigint): Vector;
  /** z = 1/x. The RangeError for a 0 has its place as `index`. */
  batchInverse(z: Vector, x: Vector): Vector;
  /** z = x^exponent; a negative exponent inverts. Time depends on the exponent. */
  powVec(z: Vector, x: Vector, exponent: bigint): Vector;

  /** x + w*y and x - w*y instead of x and y, which are two vectors; w may be one of them. */
  butterflyVec(x: Vector, y: Vector, w: Vector): [Vector, Vector];

  sum(x: Vector): bigint;
  innerProduct(x: Vector, y: Vector): bigint;
}
