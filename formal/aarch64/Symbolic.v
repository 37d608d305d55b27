(** The processor of [Machine.v] on symbolic words: what the checker computes.

    A register holds a word (a constant, a variable, or a polynomial in carries), an address (an
    area and an offset), or the flags. Refused, with None: addresses that depend on data, flags of
    which nothing is known, memory that is not the kernel's, halves of registers but where stated,
    and calculation with addresses. *)

From Coq Require Import ZArith List Bool.
From Fieldc Require Import Word Bytes Options Polynomial System Arithmetic Expression Verdict Entry
  Areas.
From Fieldc.aarch64 Require Import Machine Kernel Carries Words Facts Calculations.
Import ListNotations.
Open Scope Z_scope.

Record machine := Symbolic {
  wds : words;
  file : register -> content;
  cells : list (area * Z * content);   (* memory that may be read: 8 bytes each *)
  zf : option polynomial;              (* the flags Z and C, each 0 or 1, where it is known *)
  cf : option polynomial;
  pc : Z;                              (* the next instruction's offset in the code *)
  seen : list (area * Z * Z)
}.

Definition sys (m : machine) : system := known (wds m).

Definition with_words (w : words) (m : machine) : machine :=
  Symbolic w (file m) (cells m) (zf m) (cf m) (pc m) (seen m).
Definition with_flags (z c : option polynomial) (m : machine) : machine :=
  Symbolic (wds m) (file m) (cells m) z c (pc m) (seen m).
Definition with_cells (l : list (area * Z * content)) (m : machine) : machine :=
  Symbolic (wds m) (file m) l (zf m) (cf m) (pc m) (seen m).
Definition with_register (r : register) (k : content) (m : machine) : machine :=
  Symbolic (wds m) (fun q => if register_beq q r then k else file m q) (cells m) (zf m) (cf m)
           (pc m) (seen m).
Definition with_access (a : area) (offset size : Z) (m : machine) : machine :=
  Symbolic (wds m) (file m) (cells m) (zf m) (cf m) (pc m) ((a, offset, size) :: seen m).
Definition with_pc (n : Z) (m : machine) : machine :=
  Symbolic (wds m) (file m) (cells m) (zf m) (cf m) n (seen m).

(** ** Registers and operands *)

Definition content_of (m : machine) (r : general) : content :=
  match r with Some r => file m r | None => Known (Const 0) end.

Definition as_polynomial (k : content) : option polynomial :=
  w <- as_word k; Some (polynomial_of_word w).

Definition word_of (m : machine) (r : general) : option polynomial :=
  as_polynomial (content_of m r).

(** A register's word, or its low half. *)
Definition sized (n : Z) (r : general) (m : machine) : option (content * machine) :=
  if n =? 64 then Some (content_of m r, m)
  else
    _ <- guard (n =? 32);
    p <- word_of m r;
    '(p, w) <- low_bits 32 p (wds m);
    Some (Known (as_word_of p), with_words w m).

Definition read (n : Z) (b : source) (m : machine) : option (content * machine) :=
  _ <- guard ((n =? 64) || (n =? 32));
  match b with
  | Imm z => Some (Known (Const (z mod 2 ^ n)), m)
  | LowHalf r => _ <- guard (n =? 64); sized 32 r m
  | Shifted r k count =>
      match k with
      | Lsl =>
          if count =? 0 then sized n r m
          else
            _ <- guard (n =? 64);
            p <- word_of m r;
            '(p, w) <- left_by count p (wds m);
            Some (Known (as_word_of p), with_words w m)
      | Lsr =>
          _ <- guard (n =? 64);
          p <- word_of m r;
          '(p, w) <- right_by count p (wds m);
          Some (Known (as_word_of p), with_words w m)
      | _ => None
      end
  end.

Definition read_word (n : Z) (b : source) (m : machine) : option (polynomial * machine) :=
  '(k, m) <- read n b m; p <- as_polynomial k; Some (p, m).

Definition sized_word (n : Z) (r : general) (m : machine) : option (polynomial * machine) :=
  '(k, m) <- sized n r m; p <- as_polynomial k; Some (p, m).

Definition put (d : general) (k : content) (m : machine) : option machine :=
  match d with
  | None => Some m
  | Some r => _ <- guard (negb (register_beq r SP)); Some (with_register r k m)
  end.

Definition put_word (d : general) (p : polynomial) (w : words) (m : machine) : option machine :=
  put d (Known (as_word_of p)) (with_words w m).

(** ** Flags *)

(** A flag that is known, and whether a condition holds. *)
Definition tested (f : option polynomial) (set : bool) (m : machine) : option polynomial :=
  p <- f;
  _ <- guard (are_bits (sys m) [p]);
  Some (tabulate [p] (fun l => if set then hd 0 l else 1 - hd 0 l)).

Definition condition (k : Z) (m : machine) : option polynomial :=
  if k =? 0 then tested (zf m) true m
  else if k =? 1 then tested (zf m) false m
  else if k =? 2 then tested (cf m) true m
  else if k =? 3 then tested (cf m) false m
  else None.

Definition carry_flag (sign : Z) (out : polynomial) : polynomial :=
  if 0 <? sign then out else plus (constant 1) (-1) out.

(** The flags after [cmp a, #1] where they say that a is not 0: of a bit, or of a word of which the
    opposite is known. *)
Definition nonzero_flags (a : polynomial) (w : words)
    : option (option (option polynomial * polynomial) * words) :=
  if are_bits (known w) [a] then
    Some (if forallb (fun v => v <=? 1) (values_of a) then Some (Some a, a) else None, w)
  else
    '(found, w) <- congruent (plus [] (-1) a) w;
    match found with
    | None => Some (None, w)
    | Some opposite =>
        '(_, out, w) <- sum_row a opposite [] 1 w;
        Some (Some (None, out), w)
    end.

Definition is_one (p : polynomial) : bool :=
  match as_number p with Some c => c =? 1 | None => false end.

Definition flag_entry (k : Z) (f : option polynomial) : list (Z * word) :=
  match f with Some p => [(k, as_word_of p)] | None => [] end.

Fixpoint flag_at (k : Z) (l : list (Z * word)) : option polynomial :=
  match l with
  | [] => None
  | (j, w) :: l' => if j =? k then Some (polynomial_of_word w) else flag_at k l'
  end.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.

  (** ** Memory *)

  Definition load_from (a : area) (offset : Z) (m : machine) : option (content * machine) :=
    _ <- guard (is_inside c code a offset 8);
    k <- (if is_area a Code then Some (Known (Const (constant_at code offset)))
          else find a offset (cells m));
    Some (k, with_access a offset 8 m).

  Definition stack_offset (m : machine) : option Z :=
    match file m SP with
    | Pointer Stack offset => Some offset
    | _ => None
    end.

  (** What an interrupt could overwrite is not written. *)
  Definition is_kept (a : area) (offset : Z) (m : machine) : bool :=
    negb (is_area a Stack) ||
    match stack_offset m with Some top => top - red_zone (calling c) <=? offset | None => false end.

  Definition store_to (a : area) (offset : Z) (k : content) (m : machine) : option machine :=
    _ <- guard (may_write c code a offset && is_kept a offset m);
    Some (with_access a offset 8
      (with_cells ((a, offset, k) :: filter (survives a offset) (cells m)) m)).

  (** Moves the stack pointer, and forgets what an interrupt could overwrite. *)
  Definition move_stack (offset : Z) (m : machine) : option machine :=
    _ <- guard ((- stack c <=? offset) && (offset <=? 0) && (offset mod 16 =? 0));
    let kept (cell : area * Z * content) :=
      let '(a, o, _) := cell in
      negb (is_area a Stack) || (offset - red_zone (calling c) <=? o) in
    Some (with_register SP (Pointer Stack offset) (with_cells (filter kept (cells m)) m)).

  Definition point (r : register) (a : area) (offset : Z) (m : machine) : option machine :=
    if register_beq r SP then _ <- guard (is_area a Stack); move_stack offset m
    else put (Some r) (Pointer a offset) m.

  (** Goes on at an offset in the code. *)
  Definition jump (offset : Z) (m : machine) : option machine :=
    _ <- guard (is_inside c code Code offset 1);
    Some (with_pc offset m).

  (** Returns from called code, by the address that the call left. *)
  Definition return_to (caller : Z) (m : machine) : option machine :=
    _ <- guard (match file m X30 with Pointer Code o => o =? caller | _ => false end);
    jump caller m.

  Definition accessed (a : address) (m : machine) (f : area -> Z -> machine -> option machine)
      : option machine :=
    match file m (base a) with
    | Pointer b from =>
        _ <- guard (negb (register_beq (base a) SP) || is_area b Stack && (from mod 16 =? 0));
        let to := from + offset a in
        match kind a with
        | Offset => f b to m
        | Before => m1 <- point (base a) b to m; f b to m1
        | After => m1 <- f b from m; point (base a) b to m1
        end
    | _ => None
    end.
End Kernel.
