(** A processor: registers, flags, memory, and what each instruction does to them.

    Written from Arm's "Architecture Reference Manual for A-profile", C6. [execute] is None where
    the model does not say what happens: an access by a stack pointer that is no multiple of 16. *)

From Coq Require Import ZArith List Bool.
From Fieldc Require Import Word Bytes.
Import ListNotations.
Open Scope Z_scope.

Module AArch64.

Inductive register_name :=
  X0 | X1 | X2 | X3 | X4 | X5 | X6 | X7 | X8 | X9 | X10 | X11 | X12 | X13 | X14 | X15 |
  X16 | X17 | X18 | X19 | X20 | X21 | X22 | X23 | X24 | X25 | X26 | X27 | X28 | X29 | X30 | SP.

Scheme Equality for register_name.
Definition register : Set := register_name.
Definition register_beq : register -> register -> bool := register_name_beq.
Definition internal_register_dec_bl : forall a b, register_beq a b = true -> a = b :=
  internal_register_name_dec_bl.
Definition register_eq_dec : forall a b : register, {a = b} + {a <> b} := register_name_eq_dec.

Record nzcv := Nzcv { negative : bool; zero : bool; carry : bool; overflow : bool }.

Record processor_state := State {
  registers : register -> Z;   (* below 2^64 *)
  flags : nzcv;
  memory : Z -> Z;             (* a byte at each address *)
  here : Z;                    (* PC: where the next instruction lies *)
  trace : list (Z * Z)         (* instructions and accesses: address and length, newest first *)
}.
Definition state := processor_state.

(** ** What contracts need to know: [Processor.v] *)

Definition stack_pointer : register := SP.
Definition link_size : Z := 0.
Definition return_address (s : state) : Z := registers s X30.
Definition aligned (s : state) : Prop := here s mod 4 = 0 /\ registers s SP mod 16 = 0.

(** ** Instructions *)

(** A register, or None: it reads as 0, and what is written to it is lost. *)
Definition general := option register.

(** Instructions work on 64 bits or on 32, the low half of registers. n is how many. *)
Inductive shift_kind := Lsl | Lsr | Asr | Ror.

Inductive source :=
  | Imm (z : Z)
  | Shifted (r : general) (k : shift_kind) (count : Z)
  | LowHalf (r : general).         (* 32 bits *)

Inductive logic_kind := And | Or | Xor.
Inductive select_kind := Plain | Incremented | Inverted | Negated.

(** How an address is made, and whether its base is moved to it before or after the access. *)
Inductive address_kind := Offset | Before | After.
Record address := Address { kind : address_kind; base : register; offset : Z }.

Inductive instruction :=
  | Sum (n : Z) (subtracts with_carry sets : bool) (d a : general) (b : source)
  | Logic (n : Z) (k : logic_kind) (inverts sets : bool) (d a : general) (b : source)
  | Move (d : general) (z : Z)                   (* movz, movn *)
  | Keep (n : Z) (d : general) (z k : Z)         (* movk: 16 bits from bit k on *)
  | Field (signed : bool) (d a : general) (first last : Z)
  | Extract (d high low : general) (k : Z)
  | MultiplyAdd (n : Z) (subtracts : bool) (d a b c : general)   (* factors of n bits *)
  | MultiplyHigh (d a b : general)
  | Select (n : Z) (k : select_kind) (d a b : general) (condition : Z)
  | Load (d : general) (a : address)
  | LoadPair (d e : general) (a : address)
  | Store (r : general) (a : address)
  | StorePair (r q : general) (a : address)
  | Adr (d : general) (z : Z)                    (* from the next instruction *)
  | ReadFlags (d : general)
  | WriteFlags (r : general)
  | Nothing
  | Call (z : Z)                                 (* bl, from the next instruction *)
  | Ret.

(** ** What they do *)

Definition get (s : state) (r : general) : Z :=
  match r with Some r => registers s r | None => 0 end.

Definition note (a n : Z) (s : state) : state :=
  State (registers s) (flags s) (memory s) (here s) ((a, n) :: trace s).

Definition set_register (d : register) (w : Z) (s : state) : state :=
  State (fun r => if register_beq r d then w else registers s r)
        (flags s) (memory s) (here s) (trace s).

Definition set (d : general) (w : Z) (s : state) : state :=
  match d with Some d => set_register d w s | None => s end.

Definition set_flags (f : nzcv) (s : state) : state :=
  State (registers s) f (memory s) (here s) (trace s).

Definition write (a w : Z) (s : state) : state :=
  note a 8 (State (registers s) (flags s) (store (memory s) a w) (here s) (trace s)).

Definition go (a : Z) (s : state) : state :=
  State (registers s) (flags s) (memory s) a (trace s).

(** An n-bit number in two's complement. *)
Definition as_signed (n x : Z) : Z := if x <? 2 ^ (n - 1) then x else x - 2 ^ n.

Definition shifted (n : Z) (k : shift_kind) (count x : Z) : Z :=
  match k with
  | Lsl => x * 2 ^ count mod 2 ^ n
  | Lsr => x / 2 ^ count
  | Asr => as_signed n x / 2 ^ count mod 2 ^ n
  | Ror => x / 2 ^ count + x * 2 ^ (n - count) mod 2 ^ n
  end.

Definition operand (n : Z) (s : state) (b : source) : Z :=
  match b with
  | Imm z => z mod 2 ^ n
  | Shifted r k count => shifted n k count (get s r mod 2 ^ n)
  | LowHalf r => get s r mod 2 ^ 32
  end.

Definition complement (n x : Z) : Z := 2 ^ n - 1 - x.

(** a + b + c as the manual's AddWithCarry has it: the flags. *)
Definition sum_flags (n a b c : Z) : nzcv :=
  let w := (a + b + c) mod 2 ^ n in
  Nzcv (2 ^ (n - 1) <=? w) (w =? 0) (2 ^ n <=? a + b + c)
       (negb (as_signed n a + as_signed n b + c =? as_signed n w)).

Definition condition_holds (condition : Z) (f : nzcv) : bool :=
  let base :=
    match condition / 2 with
    | 0 => zero f
    | 1 => carry f
    | 2 => negative f
    | 3 => overflow f
    | 4 => carry f && negb (zero f)
    | 5 => Bool.eqb (negative f) (overflow f)
    | 6 => Bool.eqb (negative f) (overflow f) && negb (zero f)
    | _ => true
    end in
  if (condition mod 2 =? 1) && negb (condition =? 15) then negb base else base.

Definition logic (k : logic_kind) (x y : Z) : Z :=
  match k with And => Z.land x y | Or => Z.lor x y | Xor => Z.lxor x y end.

(** Bits of a word from [first] to [last], or, where the last comes before the first, those from 0
    to [last], moved up to the end of the word, less [first] bits of 64. *)
Definition field (signed : bool) (x first last : Z) : Z :=
  let narrow k y := if signed then as_signed k (y mod 2 ^ k) else y mod 2 ^ k in
  if first <=? last then narrow (last - first + 1) (x / 2 ^ first) mod radix
  else narrow (last + 1) x * 2 ^ (64 - first) mod radix.

Definition flags_number (f : nzcv) : Z :=
  Z.b2z (negative f) * 2 ^ 31 + Z.b2z (zero f) * 2 ^ 30 + Z.b2z (carry f) * 2 ^ 29
  + Z.b2z (overflow f) * 2 ^ 28.

Definition bit_of (x k : Z) : bool := x / 2 ^ k mod 2 =? 1.

(** An access of some bytes: its address goes on to [f], and then the base is moved, if it is. *)
Definition at_address (a : address) (s : state) (f : Z -> state -> state) : option state :=
  let from := registers s (base a) in
  let to := (from + offset a) mod radix in
  if register_beq (base a) SP && negb (from mod 16 =? 0) then None
  else
    match kind a with
    | Offset => Some (f to s)
    | Before => Some (f to (set_register (base a) to s))
    | After => Some (set_register (base a) to (f from s))
    end.

Definition execute (i : instruction) (s : state) : option state :=
  match i with
  | Sum n subtracts with_carry sets d a b =>
      let x := get s a mod 2 ^ n in
      let y := if subtracts then complement n (operand n s b) else operand n s b in
      let c := Z.b2z (if with_carry then carry (flags s) else subtracts) in
      let w := (x + y + c) mod 2 ^ n in
      Some (set d w (if sets then set_flags (sum_flags n x y c) s else s))
  | Logic n k inverts sets d a b =>
      let y := if inverts then complement n (operand n s b) else operand n s b in
      let w := logic k (get s a mod 2 ^ n) y in
      Some (set d w (if sets then set_flags (Nzcv (2 ^ (n - 1) <=? w) (w =? 0) false false) s
                     else s))
  | Move d z => Some (set d z s)
  | Keep n d z k =>
      let x := get s d mod 2 ^ n in
      Some (set d (x - x / 2 ^ k mod 2 ^ 16 * 2 ^ k + z * 2 ^ k) s)
  | Field signed d a first last => Some (set d (field signed (get s a) first last) s)
  | Extract d high low k =>
      Some (set d (get s high * 2 ^ (64 - k) mod radix + get s low / 2 ^ k) s)
  | MultiplyAdd n subtracts d a b c =>
      let product := get s a mod 2 ^ n * (get s b mod 2 ^ n) in
      Some (set d ((if subtracts then get s c - product else get s c + product) mod radix) s)
  | MultiplyHigh d a b => Some (set d (get s a * get s b / radix) s)
  | Select n k d a b condition =>
      let y := get s b mod 2 ^ n in
      let otherwise :=
        match k with
        | Plain => y
        | Incremented => (y + 1) mod 2 ^ n
        | Inverted => complement n y
        | Negated => - y mod 2 ^ n
        end in
      Some (set d (if condition_holds condition (flags s) then get s a mod 2 ^ n else otherwise) s)
  | Load d a => at_address a s (fun at_ t => set d (load (memory t) at_) (note at_ 8 t))
  | LoadPair d e a =>
      at_address a s (fun at_ t =>
        set e (load (memory t) ((at_ + 8) mod radix)) (set d (load (memory t) at_)
          (note ((at_ + 8) mod radix) 8 (note at_ 8 t))))
  | Store r a => at_address a s (fun at_ t => write at_ (get s r) t)
  | StorePair r q a =>
      at_address a s (fun at_ t => write ((at_ + 8) mod radix) (get s q) (write at_ (get s r) t))
  | Adr d z => Some (set d ((here s + z) mod radix) s)
  | ReadFlags d => Some (set d (flags_number (flags s)) s)
  | WriteFlags r =>
      let x := get s r in
      Some (set_flags (Nzcv (bit_of x 31) (bit_of x 30) (bit_of x 29) (bit_of x 28)) s)
  | Nothing => Some s
  | Call z => Some (go ((here s + z) mod radix) (set_register X30 (here s mod radix) s))
  | Ret => Some (go (registers s X30) s)
  end.

End AArch64.
Export AArch64.
