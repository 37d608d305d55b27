(** Instructions from words of 32 bits: those of [Machine.v], in the encodings that kernels use.

    Written from the manual's C4.1. A pattern is a mask and what the masked bits are. *)

From Coq Require Import ZArith List Bool.
From Fieldc Require Import Word Options.
From Fieldc.aarch64 Require Import Machine.
Import ListNotations.
Open Scope Z_scope.

Definition general_register (k : Z) : general :=
  nth (Z.to_nat k)
    (map Some [X0; X1; X2; X3; X4; X5; X6; X7; X8; X9; X10; X11; X12; X13; X14; X15; X16; X17; X18;
               X19; X20; X21; X22; X23; X24; X25; X26; X27; X28; X29; X30]) None.

(** Where number 31 is the stack pointer. *)
Definition or_stack (k : Z) : general :=
  match general_register k with Some r => Some r | None => Some SP end.

Definition base_register (k : Z) : register :=
  match general_register k with Some r => r | None => SP end.

Definition sign_extended (bits z : Z) : Z := if z <? 2 ^ (bits - 1) then z else z - 2 ^ bits.

(** Copies of a number of some bits, side by side in n bits. *)
Definition repeated (n size x : Z) : Z := x * ((2 ^ n - 1) / (2 ^ size - 1)).

(** The manual's DecodeBitMasks: a run of ones, turned to the right, and repeated. *)
Definition bit_mask (n top ones turn : Z) : option Z :=
  let size := 2 ^ Z.log2 (64 * top + (63 - ones)) in
  let s := ones mod size in
  let r := turn mod size in
  let run := 2 ^ (s + 1) - 1 in
  _ <- guard ((s + 1 <? size) && (size <=? n));
  Some (repeated n size (run / 2 ^ r + run * 2 ^ (size - r) mod 2 ^ size)).

Definition shift_of (k : Z) : shift_kind :=
  if k =? 0 then Lsl else if k =? 1 then Lsr else if k =? 2 then Asr else Ror.

Definition logic_of (k : Z) : logic_kind :=
  if k =? 1 then Or else if k =? 2 then Xor else And.

Definition selection (negates increments : bool) : select_kind :=
  if negates then (if increments then Negated else Inverted)
  else if increments then Incremented else Plain.

Section Word.
  Variable w : Z.

  Definition is (mask bits : Z) : bool := Z.land w mask =? bits.
  Definition part (from count : Z) : Z := w / 2 ^ from mod 2 ^ count.
  Definition set_bit (k : Z) : bool := part k 1 =? 1.
  Definition width : Z := if set_bit 31 then 64 else 32.
  Definition rd : general := general_register (part 0 5).
  Definition rn : general := general_register (part 5 5).
  Definition ra : general := general_register (part 10 5).
  Definition rm : general := general_register (part 16 5).
  Definition rd_or_stack (sets : bool) : general := if sets then rd else or_stack (part 0 5).
  Definition rn_or_stack : general := or_stack (part 5 5).

  Definition shifted_register : source := Shifted rm (shift_of (part 22 2)) (part 10 6).

  Definition sum_of_immediate : instruction :=
    Sum width (set_bit 30) false (set_bit 29) (rd_or_stack (set_bit 29)) rn_or_stack
      (Imm (part 10 12 * if set_bit 22 then 2 ^ 12 else 1)).

  Definition logic_of_immediate : option instruction :=
    mask <- bit_mask width (part 22 1) (part 10 6) (part 16 6);
    let sets := part 29 2 =? 3 in
    Some (Logic width (logic_of (part 29 2)) false sets (rd_or_stack sets) rn (Imm mask)).

  (** 16 bits, at a multiple of 16 that lies in the register. *)
  Definition immediate_of_16 (f : Z -> Z -> instruction) : option instruction :=
    let k := 16 * part 21 2 in
    _ <- guard (k <? width);
    Some (f (part 5 16) k).

  Definition moved (inverts : bool) : option instruction :=
    immediate_of_16 (fun z k =>
      Move rd (if inverts then 2 ^ width - 1 - z * 2 ^ k else z * 2 ^ k)).

  Definition sum_of_shifted : option instruction :=
    _ <- guard (part 22 2 <? 3);
    Some (Sum width (set_bit 30) false (set_bit 29) rd rn shifted_register).

  Definition logic_of_shifted : instruction :=
    Logic width (logic_of (part 29 2)) (set_bit 21) (part 29 2 =? 3) rd rn shifted_register.

  (** A base that moves is none of the registers that are loaded or stored. *)
  Definition address_with (k : address_kind) (z : Z) : option address :=
    Some (Address k (base_register (part 5 5)) z).

  Definition moving_address (k : address_kind) (z : Z) (others : list Z) : option address :=
    _ <- guard ((part 5 5 =? 31) || forallb (fun r => negb (part 5 5 =? r)) others);
    address_with k z.

  Definition one (a : option address) : option instruction :=
    a <- a;
    Some (if set_bit 22 then Load rd a else Store rd a).

  Definition pair (a : option address) : option instruction :=
    a <- a;
    if set_bit 22 then
      _ <- guard (negb (part 0 5 =? part 10 5)); Some (LoadPair rd ra a)
    else Some (StorePair rd ra a).

  Definition offset_of_9 : Z := sign_extended 9 (part 12 9).
  Definition offset_of_7 : Z := 8 * sign_extended 7 (part 15 7).

  Definition decode : option instruction :=
    if is 0x9f000000 0x10000000 then
      Some (Adr rd (sign_extended 21 (4 * part 5 19 + part 29 2) - 4))
    else if is 0x1f800000 0x11000000 then Some sum_of_immediate
    else if is 0x1f800000 0x12000000 then logic_of_immediate
    else if is 0x7f800000 0x12800000 then moved true
    else if is 0x7f800000 0x52800000 then moved false
    else if is 0x7f800000 0x72800000 then immediate_of_16 (fun z k => Keep width rd z k)
    else if is 0xffc00000 0x93400000 then Some (Field true rd rn (part 16 6) (part 10 6))
    else if is 0xffc00000 0xd3400000 then Some (Field false rd rn (part 16 6) (part 10 6))
    else if is 0xffe00000 0x93c00000 then Some (Extract rd rn rm (part 10 6))
    else if is 0x9f000000 0x8a000000 then Some logic_of_shifted
    else if is 0x9f008000 0x0a000000 then Some logic_of_shifted
    else if is 0x9f200000 0x8b000000 then sum_of_shifted
    else if is 0x9f208000 0x0b000000 then sum_of_shifted
    else if is 0x9fe0fc00 0x8b204000 then
      Some (Sum 64 (set_bit 30) false (set_bit 29) (rd_or_stack (set_bit 29)) rn_or_stack
        (LowHalf rm))
    else if is 0x1fe0fc00 0x1a000000 then
      Some (Sum width (set_bit 30) true (set_bit 29) rd rn (Shifted rm Lsl 0))
    else if is 0x3fe00800 0x1a800000 then
      Some (Select width (selection (set_bit 30) (set_bit 10)) rd rn rm (part 12 4))
    else if is 0xffe00000 0x9b000000 then Some (MultiplyAdd 64 (set_bit 15) rd rn rm ra)
    else if is 0xffe08000 0x9ba00000 then Some (MultiplyAdd 32 false rd rn rm ra)
    else if is 0xffe0fc00 0x9bc07c00 then Some (MultiplyHigh rd rn rm)
    else if is 0xff800000 0xf9000000 then one (address_with Offset (8 * part 10 12))
    else if is 0xffa00c00 0xf8000000 then one (address_with Offset offset_of_9)
    else if is 0xffa00c00 0xf8000400 then one (moving_address After offset_of_9 [part 0 5])
    else if is 0xffa00c00 0xf8000c00 then one (moving_address Before offset_of_9 [part 0 5])
    else if is 0xff800000 0xa9000000 then pair (address_with Offset offset_of_7)
    else if is 0xff800000 0xa8800000 then
      pair (moving_address After offset_of_7 [part 0 5; part 10 5])
    else if is 0xff800000 0xa9800000 then
      pair (moving_address Before offset_of_7 [part 0 5; part 10 5])
    else if is 0xffffffe0 0xd53b4200 then Some (ReadFlags rd)
    else if is 0xffffffe0 0xd51b4200 then Some (WriteFlags rd)
    else if is 0xffffff3f 0xd503241f then Some Nothing
    else if is 0xffffffff 0xd503201f then Some Nothing
    else if is 0xfc000000 0x94000000 then Some (Call (4 * sign_extended 26 (part 0 26) - 4))
    else if is 0xffffffff 0xd65f03c0 then Some Ret
    else None.
End Word.
