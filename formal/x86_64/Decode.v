(** Instructions from bytes: those of [Machine.v], in the encodings that kernels use. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word.
From Fieldc.x86_64 Require Import Machine.
Import ListNotations.
Open Scope Z_scope.

Definition parser (A : Type) := list Z -> option (A * list Z).
Definition yield {A} (a : A) : parser A := fun l => Some (a, l).
Definition fail {A} : parser A := fun _ => None.
Definition byte : parser Z := fun l => match l with [] => None | b :: r => Some (b, r) end.
Definition andthen {A B} (p : parser A) (f : A -> parser B) : parser B :=
  fun l => match p l with Some (a, r) => f a r | None => None end.
Notation "x <~ p ; q" := (andthen p (fun x => q))
  (at level 61, p at next level, right associativity).

(** n bytes, the least significant first. *)
Fixpoint little (n : nat) : parser Z :=
  match n with
  | O => yield 0
  | S n' => b <~ byte; rest <~ little n'; yield (b + 256 * rest)
  end.

Definition signed (bits z : Z) : Z := if z <? 2 ^ (bits - 1) then z else z - 2 ^ bits.
Definition signed_byte : parser Z := z <~ little 1; yield (signed 8 z).
Definition signed_long : parser Z := z <~ little 4; yield (signed 32 z).

Definition register_of (n : Z) : register :=
  nth (Z.to_nat n)
    [RAX; RCX; RDX; RBX; RSP; RBP; RSI; RDI; R8; R9; R10; R11; R12; R13; R14; R15] RSP.

(** A REX or VEX prefix: the fourth bits of the registers' numbers. *)
Record extension := Extension { wide : bool; ext_reg : Z; ext_index : Z; ext_base : Z }.

Definition bit (z k : Z) : Z := z / 2 ^ k mod 2.
Definition no_extension : extension := Extension false 0 0 0.
Definition rex (b : Z) : extension :=
  Extension (bit b 3 =? 1) (8 * bit b 2) (8 * bit b 1) (8 * bit b 0).

(** What the byte ModRM names: a register, memory, or the sum of two registers (for [lea]). *)
Inductive named := NamedRegister (r : register) | NamedMemory (a : address)
  | NamedSum (a b : register).

Definition displacement (mode : Z) : parser Z :=
  if mode =? 0 then yield 0 else if mode =? 1 then signed_byte else signed_long.

Definition scaled (e : extension) (mode : Z) : parser named :=
  sib <~ byte;
  let base := sib mod 8 in
  let index := sib / 8 mod 8 + ext_index e in
  if (mode =? 0) && (base =? 5) then fail
  else
    d <~ displacement mode;
    let b := register_of (base + ext_base e) in
    if index =? 4 then yield (NamedMemory (Based b d))
    else if (sib / 64 =? 0) && (d =? 0) then yield (NamedSum b (register_of index))
    else fail.

(** The number in ModRM's middle, which is a register or a part of the opcode, and what it names. *)
Definition modrm (e : extension) : parser (Z * named) :=
  m <~ byte;
  let mode := m / 64 in
  let middle := m / 8 mod 8 in
  let low := m mod 8 in
  n <~ (if mode =? 3 then yield (NamedRegister (register_of (low + ext_base e)))
        else if low =? 4 then scaled e mode
        else if (mode =? 0) && (low =? 5) then d <~ signed_long; yield (NamedMemory (Relative d))
        else
          d <~ displacement mode;
          yield (NamedMemory (Based (register_of (low + ext_base e)) d)));
  yield (middle, n).

Definition reg_operand (e : extension) (middle : Z) : register := register_of (middle + ext_reg e).

Definition to_source (n : named) : parser source :=
  match n with
  | NamedRegister r => yield (Reg r)
  | NamedMemory a => yield (Mem a)
  | NamedSum _ _ => fail
  end.

Definition to_register (n : named) : parser register :=
  match n with NamedRegister r => yield r | _ => fail end.

(** op r, r/m *)
Definition from_rm (e : extension) (f : register -> source -> instruction) : parser instruction :=
  mn <~ modrm e;
  o <~ to_source (snd mn);
  yield (f (reg_operand e (fst mn)) o).

(** op r, r: what the bits of ModRM's end name comes first *)
Definition to_rm (e : extension) (f : register -> register -> instruction) : parser instruction :=
  mn <~ modrm e;
  d <~ to_register (snd mn);
  yield (f d (reg_operand e (fst mn))).

Definition onto (f : register -> source -> instruction) (d r : register) : instruction :=
  f d (Reg r).

(** add or adc r/m, r *)
Definition sum_to_rm (e : extension) (k : sum_kind) : parser instruction :=
  mn <~ modrm e;
  let r := reg_operand e (fst mn) in
  match snd mn with
  | NamedRegister d => yield (Sum k d (Reg r))
  | NamedMemory a => yield (SumTo k a r)
  | NamedSum _ _ => fail
  end.

Definition with_immediate (e : extension) (immediate : parser Z) : parser instruction :=
  mn <~ modrm e;
  d <~ to_register (snd mn);
  z <~ immediate;
  let k := fst mn in
  if k =? 0 then yield (Sum Add d (Imm z))
  else if k =? 2 then yield (Sum Adc d (Imm z))
  else if k =? 3 then yield (Difference Sbb d (Imm z))
  else if k =? 4 then yield (And d (Imm z))
  else if k =? 5 then yield (Difference Sub d (Imm z))
  else fail.

Definition shift_by (e : extension) (count : parser Z) : parser instruction :=
  mn <~ modrm e;
  d <~ to_register (snd mn);
  k <~ count;
  if fst mn =? 4 then yield (Shl d k) else if fst mn =? 5 then yield (Shr d k) else fail.

(** Opcodes of two bytes, 0f and this one, on 64 bits. *)
Definition second_opcode (e : extension) : parser instruction :=
  op <~ byte;
  if op =? 0xaf then from_rm e (fun d o => Imul d (Reg d) o)
  else if op =? 0x42 then from_rm e (Cmov true)
  else if op =? 0x43 then from_rm e (Cmov false)
  else if op =? 0xa4 then
    mn <~ modrm e; d <~ to_register (snd mn); k <~ byte;
    yield (Shld d (reg_operand e (fst mn)) k)
  else if op =? 0xac then
    mn <~ modrm e; d <~ to_register (snd mn); k <~ byte;
    yield (Shrd d (reg_operand e (fst mn)) k)
  else fail.

(** Opcodes of one byte on 64 bits. *)
Definition wide_opcode (e : extension) (op : Z) : parser instruction :=
  if op =? 0x01 then sum_to_rm e Add
  else if op =? 0x03 then from_rm e (Sum Add)
  else if op =? 0x09 then to_rm e (onto Or)
  else if op =? 0x0b then from_rm e Or
  else if op =? 0x11 then sum_to_rm e Adc
  else if op =? 0x13 then from_rm e (Sum Adc)
  else if op =? 0x19 then to_rm e (onto (Difference Sbb))
  else if op =? 0x1b then from_rm e (Difference Sbb)
  else if op =? 0x21 then to_rm e (onto And)
  else if op =? 0x23 then from_rm e And
  else if op =? 0x29 then to_rm e (onto (Difference Sub))
  else if op =? 0x2b then from_rm e (Difference Sub)
  else if op =? 0x31 then to_rm e Xor
  else if op =? 0x69 then
    mn <~ modrm e; o <~ to_source (snd mn); z <~ signed_long;
    yield (Imul (reg_operand e (fst mn)) o (Imm z))
  else if op =? 0x6b then
    mn <~ modrm e; o <~ to_source (snd mn); z <~ signed_byte;
    yield (Imul (reg_operand e (fst mn)) o (Imm z))
  else if op =? 0x05 then z <~ signed_long; yield (Sum Add RAX (Imm z))
  else if op =? 0x15 then z <~ signed_long; yield (Sum Adc RAX (Imm z))
  else if op =? 0x1d then z <~ signed_long; yield (Difference Sbb RAX (Imm z))
  else if op =? 0x25 then z <~ signed_long; yield (And RAX (Imm z))
  else if op =? 0x2d then z <~ signed_long; yield (Difference Sub RAX (Imm z))
  else if op =? 0x81 then with_immediate e signed_long
  else if op =? 0x83 then with_immediate e signed_byte
  else if op =? 0x85 then to_rm e Test
  else if op =? 0x89 then
    mn <~ modrm e;
    let r := reg_operand e (fst mn) in
    match snd mn with
    | NamedRegister d => yield (Mov d (Reg r))
    | NamedMemory a => yield (Store a r)
    | NamedSum _ _ => fail
    end
  else if op =? 0x8b then from_rm e Mov
  else if op =? 0x8d then
    mn <~ modrm e;
    let d := reg_operand e (fst mn) in
    match snd mn with
    | NamedMemory a => yield (Lea d a)
    | NamedSum a b => yield (LeaSum d a b)
    | NamedRegister _ => fail
    end
  else if (0xb8 <=? op) && (op <=? 0xbf) then
    z <~ little 8; yield (Mov (register_of (op - 0xb8 + ext_base e)) (Imm z))
  else if op =? 0xc1 then shift_by e byte
  else if op =? 0xd1 then shift_by e (yield 1)
  else if op =? 0xc7 then
    mn <~ modrm e; d <~ to_register (snd mn); z <~ signed_long;
    if fst mn =? 0 then yield (Mov d (Imm z)) else fail
  else if op =? 0xf7 then
    mn <~ modrm e; o <~ to_source (snd mn);
    if fst mn =? 4 then yield (Mul o)
    else if fst mn =? 3 then match o with Reg d => yield (Neg d) | _ => fail end
    else if fst mn =? 2 then match o with Reg d => yield (Not d) | _ => fail end
    else fail
  else if op =? 0x0f then second_opcode e
  else fail.

(** A register's lowest byte. Without REX the numbers 4 to 7 name second bytes. *)
Definition to_byte (prefixed : bool) (e : extension) : parser (Z * register) :=
  mn <~ modrm e;
  d <~ to_register (snd mn);
  if prefixed || existsb (register_beq d) [RAX; RCX; RDX; RBX] then yield (fst mn, d) else fail.

(** [and] of 32 bits with a number, which the processor extends by zeros. *)
Definition and_number (d : register) (z : Z) : parser instruction :=
  yield (And d (Imm (z mod 2 ^ 32))).

(** Opcodes that need no prefix for 64 bits, and some of 32 and of 8 bits. *)
Definition plain_opcode (prefixed : bool) (e : extension) (op : Z) : parser instruction :=
  if (0x50 <=? op) && (op <=? 0x57) then yield (Push (register_of (op - 0x50 + ext_base e)))
  else if (0x58 <=? op) && (op <=? 0x5f) then yield (Pop (register_of (op - 0x58 + ext_base e)))
  else if op =? 0x31 then to_rm e Xor32
  else if op =? 0x04 then z <~ byte; yield (AddByte RAX z)
  else if op =? 0x80 then
    kd <~ to_byte prefixed e; z <~ byte;
    if fst kd =? 0 then yield (AddByte (snd kd) z) else fail
  else if op =? 0x0f then
    z <~ byte;
    if z =? 0x92 then kd <~ to_byte prefixed e; yield (Setb (snd kd)) else fail
  else if op =? 0x25 then z <~ little 4; and_number RAX z
  else if op =? 0x81 then
    mn <~ modrm e; d <~ to_register (snd mn); z <~ little 4;
    if fst mn =? 4 then and_number d z else fail
  else if op =? 0x83 then
    mn <~ modrm e; d <~ to_register (snd mn); z <~ signed_byte;
    if fst mn =? 4 then and_number d z else fail
  else if (0xb0 <=? op) && (op <=? 0xb7) && (prefixed || (op <? 0xb4)) then
    z <~ byte; yield (MovByte (register_of (op - 0xb0 + ext_base e)) z)
  else if (0xb8 <=? op) && (op <=? 0xbf) then
    z <~ little 4; yield (Mov (register_of (op - 0xb8 + ext_base e)) (Imm z))
  else fail.

Definition is_rex (b : Z) : bool := (0x40 <=? b) && (b <=? 0x4f).

(** adcx and adox: a prefix of their own, REX (which is b), 0f 38 f6 *)
Definition adx (k : sum_kind) (b : Z) : parser instruction :=
  if is_rex b && wide (rex b) then
    z <~ little 3;
    if z =? 0xf6380f then from_rm (rex b) (Sum k) else fail
  else fail.

(** VEX.LZ.0F38.W1, with a register in the prefix: F2 and F6 is mulx, whose low half that register
    gets; no prefix and F5 is bzhi, whose index it is. *)
Definition vex : parser instruction :=
  b <~ byte; d <~ byte; op <~ byte;
  let e := Extension true (8 * (1 - bit b 7)) (8 * (1 - bit b 6)) (8 * (1 - bit b 5)) in
  let middle := register_of (15 - d / 8 mod 16) in
  if (b mod 32 =? 2) && (bit d 7 =? 1) then
    if (d mod 8 =? 3) && (op =? 0xf6) then from_rm e (fun high o => Mulx high middle o)
    else if (d mod 8 =? 0) && (op =? 0xf5) then from_rm e (fun r o => Bzhi r o middle)
    else fail
  else fail.

Definition decode : parser instruction :=
  b <~ byte;
  if b =? 0x66 then r <~ byte; adx Adcx r
  else if b =? 0xf3 then
    r <~ byte;
    if r =? 0x0f then z <~ little 2; if z =? 0xfa1e then yield Endbr64 else fail
    else adx Adox r
  else if b =? 0xc4 then vex
  else if b =? 0xc3 then yield Ret
  else if b =? 0xe8 then d <~ signed_long; yield (Call d)
  else if is_rex b then
    op <~ byte;
    if wide (rex b) then wide_opcode (rex b) op else plain_opcode true (rex b) op
  else plain_opcode false no_extension b.

(** ** What is read does not depend on what follows *)

Definition stable {A} (p : parser A) : Prop :=
  forall l a r x, p l = Some (a, r) -> p (l ++ x) = Some (a, r ++ x).

Lemma stable_yield A (a : A) : stable (yield a).
Proof. intros l b r x [= <- <-]. reflexivity. Qed.

Lemma stable_fail A : stable (@fail A).
Proof. intros l b r x H. discriminate H. Qed.

Lemma stable_byte : stable byte.
Proof. intros [|b l] a r x H; [discriminate|]. injection H as <- <-. reflexivity. Qed.

Lemma stable_andthen A B (p : parser A) (f : A -> parser B) :
  stable p -> (forall a, stable (f a)) -> stable (andthen p f).
Proof.
  intros P F l b r x. unfold andthen. destruct (p l) as [[a q]|] eqn:E; [|discriminate].
  intros H. rewrite (P _ _ _ x E). apply F, H.
Qed.

Ltac stability :=
  repeat match goal with
  | |- stable (andthen _ _) => apply stable_andthen; [|intros ?]
  | |- stable (yield _) => apply stable_yield
  | |- stable fail => apply stable_fail
  | |- stable byte => apply stable_byte
  | |- stable (if ?b then _ else _) => destruct b
  | |- stable (match ?x with _ => _ end) => destruct x
  | |- _ => progress cbv zeta
  | |- _ => solve [auto with stable]
  end.

Lemma stable_little n : stable (little n).
Proof. induction n as [|n IH]; cbn [little]; stability; exact IH. Qed.
#[local] Hint Resolve stable_little : stable.

Lemma stable_modrm e : stable (modrm e).
Proof. unfold modrm, scaled, displacement, signed_byte, signed_long. stability. Qed.
#[local] Hint Resolve stable_modrm : stable.

Lemma stable_from_rm e f : stable (from_rm e f).
Proof. unfold from_rm, to_source. stability. Qed.
Lemma stable_to_rm e f : stable (to_rm e f).
Proof. unfold to_rm, to_register. stability. Qed.
#[local] Hint Resolve stable_from_rm stable_to_rm : stable.

Theorem stable_decode : stable decode.
Proof.
  unfold decode, adx, vex, wide_opcode, plain_opcode, second_opcode, with_immediate, shift_by,
    to_byte, and_number, sum_to_rm,
    to_source, to_register, signed_byte, signed_long.
  stability.
Qed.
