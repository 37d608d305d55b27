(** A processor: registers, two flags, memory, and what each instruction does to them.

    Written from Intel's "Software Developer's Manual", volume 2. [execute] is None where the model
    does not say what happens: an instruction that reads a flag which it holds undefined, and a shift
    by 0 or by more than 63 bits. *)

From Coq Require Import ZArith List Bool.
From Fieldc Require Import Word Bytes.
Import ListNotations.
Open Scope Z_scope.

Module X86_64.

Inductive register_name :=
  RAX | RCX | RDX | RBX | RSP | RBP | RSI | RDI | R8 | R9 | R10 | R11 | R12 | R13 | R14 | R15.

Scheme Equality for register_name.
Definition register : Set := register_name.
Definition register_beq : register -> register -> bool := register_name_beq.
Definition internal_register_dec_bl : forall a b, register_beq a b = true -> a = b :=
  internal_register_name_dec_bl.
Definition register_eq_dec : forall a b : register, {a = b} + {a <> b} := register_name_eq_dec.

Record processor_state := State {
  registers : register -> Z;   (* below 2^64 *)
  carry : option bool;         (* CF and OF; None: undefined *)
  overflow : option bool;
  memory : Z -> Z;             (* a byte at each address *)
  here : Z;                    (* RIP: where the next instruction lies *)
  trace : list (Z * Z)         (* instructions and accesses: address and length, newest first *)
}.
Definition state := processor_state.

(** ** What contracts need to know: [Processor.v] *)

Definition stack_pointer : register := RSP.
Definition link_size : Z := 8.
Definition return_address (s : state) : Z := load (memory s) (registers s RSP).
Definition aligned (s : state) : Prop := True.

(** ** Instructions *)

Inductive address :=
  | Based (r : register) (displacement : Z)
  | Relative (displacement : Z).   (* to the next instruction *)

Inductive source :=
  | Reg (r : register)
  | Mem (a : address)              (* 8 bytes *)
  | Imm (z : Z).                   (* as the processor extends it to 64 bits *)

Inductive sum_kind := Add | Adc | Adcx | Adox.
Inductive difference_kind := Sub | Sbb.

Inductive instruction :=
  | Mov (d : register) (o : source)
  | Store (a : address) (r : register)
  | Lea (d : register) (a : address)
  | LeaSum (d a b : register)
  | Push (r : register)
  | Pop (d : register)
  | Sum (k : sum_kind) (d : register) (o : source)
  | SumTo (k : sum_kind) (a : address) (r : register)
  | Difference (k : difference_kind) (d : register) (o : source)
  | Mul (o : source)
  | Mulx (high low : register) (o : source)
  | Imul (d : register) (a b : source)
  | Shld (d r : register) (count : Z)
  | Shrd (d r : register) (count : Z)
  | Shl (d : register) (count : Z)
  | Shr (d : register) (count : Z)
  | And (d : register) (o : source)
  | Or (d : register) (o : source)
  | Neg (d : register)
  | Not (d : register)
  | Setb (d : register)            (* the lowest byte *)
  | MovByte (d : register) (z : Z) (* to the lowest byte *)
  | AddByte (d : register) (z : Z) (* to the lowest byte *)
  | Bzhi (d : register) (o : source) (index : register)
  | Xor (d r : register)
  | Xor32 (d r : register)
  | Test (a b : register)
  | Endbr64                        (* where an indirect jump may land; otherwise nothing *)
  | Cmov (when_carry : bool) (d : register) (o : source)
  | Call (d : Z)                   (* to the next instruction plus d *)
  | Ret.

(** ** What they do *)

Definition effective (s : state) (a : address) : Z :=
  match a with
  | Based r d => (registers s r + d) mod radix
  | Relative d => (here s + d) mod radix
  end.

Definition operand (s : state) (o : source) : Z :=
  match o with
  | Reg r => registers s r
  | Mem a => load (memory s) (effective s a)
  | Imm z => z mod radix
  end.

Definition note (a n : Z) (s : state) : state :=
  State (registers s) (carry s) (overflow s) (memory s) (here s) ((a, n) :: trace s).

(** The access that reads an operand. *)
Definition access (o : source) (s : state) : state :=
  match o with Mem a => note (effective s a) 8 s | _ => s end.

Definition set (d : register) (w : Z) (s : state) : state :=
  State (fun r => if register_beq r d then w else registers s r)
        (carry s) (overflow s) (memory s) (here s) (trace s).

Definition flags (c o : option bool) (s : state) : state :=
  State (registers s) c o (memory s) (here s) (trace s).

Definition write (a w : Z) (s : state) : state :=
  note a 8 (State (registers s) (carry s) (overflow s) (store (memory s) a w) (here s) (trace s)).

Definition go (a : Z) (s : state) : state :=
  State (registers s) (carry s) (overflow s) (memory s) a (trace s).

(** The carry that a sum takes. *)
Definition carry_in (k : sum_kind) (s : state) : option bool :=
  match k with
  | Add => Some false
  | Adc | Adcx => carry s
  | Adox => overflow s
  end.

(** The flags after a sum whose carry is c: adcx and adox leave the other one as it was. *)
Definition carry_out (k : sum_kind) (c : bool) (s : state) : state :=
  match k with
  | Add | Adc => flags (Some c) None s
  | Adcx => flags (Some c) (overflow s) s
  | Adox => flags (carry s) (Some c) s
  end.

(** A shift by k bits that gives w. Those by 0 or by more than 63 bits are left out. *)
Definition shift (k : Z) (d : register) (w : Z) (s : state) : option state :=
  if (0 <? k) && (k <? 64) then Some (set d w (flags None None s)) else None.

Definition execute (i : instruction) (s : state) : option state :=
  match i with
  | Mov d o => Some (set d (operand s o) (access o s))
  | Store a r => Some (write (effective s a) (registers s r) s)
  | Lea d a => Some (set d (effective s a) s)
  | LeaSum d a b => Some (set d ((registers s a + registers s b) mod radix) s)
  | Push r =>
      let top := (registers s RSP - 8) mod radix in
      Some (set RSP top (write top (registers s r) s))
  | Pop d =>
      let top := registers s RSP in
      Some (set d (load (memory s) top) (set RSP ((top + 8) mod radix) (note top 8 s)))
  | Sum k d o =>
      match carry_in k s with
      | None => None
      | Some c =>
          let total := registers s d + operand s o + Z.b2z c in
          Some (set d (total mod radix) (carry_out k (radix <=? total) (access o s)))
      end
  | SumTo k a r =>
      match carry_in k s with
      | None => None
      | Some c =>
          let to := effective s a in
          let total := load (memory s) to + registers s r + Z.b2z c in
          Some (write to (total mod radix) (carry_out k (radix <=? total) (note to 8 s)))
      end
  | Difference k d o =>
      match (match k with Sub => Some false | Sbb => carry s end) with
      | None => None
      | Some b =>
          let total := registers s d - operand s o - Z.b2z b in
          Some (set d (total mod radix) (flags (Some (total <? 0)) None (access o s)))
      end
  | Mul o =>
      let product := registers s RAX * operand s o in
      Some (set RDX (product / radix) (set RAX (product mod radix)
             (flags None None (access o s))))
  | Mulx high low o =>
      let product := registers s RDX * operand s o in
      Some (set high (product / radix) (set low (product mod radix) (access o s)))
  | Imul d a b =>
      Some (set d (operand s a * operand s b mod radix) (flags None None (access b (access a s))))
  | Shld d r k =>
      shift k d (registers s d * 2 ^ k mod radix + registers s r / 2 ^ (64 - k)) s
  | Shrd d r k =>
      shift k d (registers s r * 2 ^ (64 - k) mod radix + registers s d / 2 ^ k) s
  | Shl d k => shift k d (registers s d * 2 ^ k mod radix) s
  | Shr d k => shift k d (registers s d / 2 ^ k) s
  | And d o =>
      Some (set d (Z.land (registers s d) (operand s o))
             (flags (Some false) (Some false) (access o s)))
  | Or d o =>
      Some (set d (Z.lor (registers s d) (operand s o))
             (flags (Some false) (Some false) (access o s)))
  | Neg d =>
      let total := - registers s d in
      Some (set d (total mod radix) (flags (Some (total <? 0)) None s))
  | Not d => Some (set d (radix - 1 - registers s d) s)
  | Setb d =>
      match carry s with
      | None => None
      | Some c => Some (set d (registers s d / 256 * 256 + Z.b2z c) s)
      end
  | MovByte d z => Some (set d (registers s d / 256 * 256 + z mod 256) s)
  | AddByte d z =>
      let total := registers s d mod 256 + z mod 256 in
      Some (set d (registers s d / 256 * 256 + total mod 256)
             (flags (Some (256 <=? total)) None s))
  | Bzhi d o index =>
      let k := registers s index mod 256 in
      let w := if k <? 64 then operand s o mod 2 ^ k else operand s o in
      Some (set d w (flags (Some (negb (k <? 64))) (Some false) (access o s)))
  | Xor d r =>
      Some (set d (Z.lxor (registers s d) (registers s r)) (flags (Some false) (Some false) s))
  | Xor32 d r =>
      Some (set d (Z.lxor (registers s d) (registers s r) mod 2 ^ 32)
             (flags (Some false) (Some false) s))
  | Test a b => Some (flags (Some false) (Some false) s)
  | Endbr64 => Some s
  | Cmov when_carry d o =>
      match carry s with
      | None => None
      | Some c =>
          let w := if Bool.eqb c when_carry then operand s o else registers s d in
          Some (set d w (access o s))
      end
  | Call d =>
      let top := (registers s RSP - 8) mod radix in
      Some (go ((here s + d) mod radix) (set RSP top (write top (here s mod radix) s)))
  | Ret =>
      let top := registers s RSP in
      Some (go (load (memory s) top) (set RSP ((top + 8) mod radix) (note top 8 s)))
  end.

End X86_64.
Export X86_64.
