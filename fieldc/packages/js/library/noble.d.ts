import { Field } from "./field.js";

/** The interface of @noble/curves' fields (IField of bigints). */
export interface NobleField {
  readonly ORDER: bigint;
  readonly BITS: number;
  readonly BYTES: number;
  readonly isLE: boolean;
  readonly ZERO: bigint;
  readonly ONE: bigint;
  create(a: bigint): bigint;
  isValid(a: bigint): boolean;
  is0(a: bigint): boolean;
  isValidNot0(a: bigint): boolean;
  isOdd(a: bigint): boolean;
  neg(a: bigint): bigint;
  inv(a: bigint): bigint;
  sqrt(a: bigint): bigint;
  sqr(a: bigint): bigint;
  eql(a: bigint, b: bigint): boolean;
  add(a: bigint, b: bigint): bigint;
  sub(a: bigint, b: bigint): bigint;
  mul(a: bigint, b: bigint): bigint;
  pow(a: bigint, exponent: bigint): bigint;
  div(a: bigint, b: bigint): bigint;
  addN(a: bigint, b: bigint): bigint;
  subN(a: bigint, b: bigint): bigint;
  mulN(a: bigint, b: bigint): bigint;
  sqrN(a: bigint): bigint;
  toBytes(a: bigint): Uint8Array;
  fromBytes(bytes: Uint8Array, skipValidation?: boolean): bigint;
  invertBatch(values: bigint[]): bigint[];
  cmov(a: bigint, b: bigint, condition: boolean): bigint;
}

/** A field for the abstract code of @noble/curves. */
export function nobleField(F: Field, options?: { isLE?: boolean }): NobleField;
