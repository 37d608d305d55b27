(** What each instruction does to the machine of [Symbolic.v]. *)

From Coq Require Import ZArith List Bool.
From Fieldc Require Import Word Options Polynomial System Verdict.
From Fieldc.aarch64 Require Import Machine Kernel Carries Words Choices Rows Calculations Symbolic.
Import ListNotations.
Open Scope Z_scope.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.

  Definition sign_of (subtracts : bool) : Z := if subtracts then -1 else 1.

  Definition carry_in (with_carry subtracts : bool) (m : machine) : option polynomial :=
    if with_carry then tested (cf m) (negb subtracts) m else Some [].

  Definition move_pointer (subtracts : bool) (d : general) (a : area) (from : Z) (b : source)
      (m : machine) : option machine :=
    '(p, m1) <- read_word 64 b m;
    k <- as_number p;
    let amount := if k <? radix / 2 then k else k - radix in
    match d with
    | None => Some m1
    | Some r => point c r a (from + sign_of subtracts * amount) m1
    end.

  Definition zero_of (a b carry : polynomial) (sign : Z) (w : words)
      : option (option polynomial * words) :=
    if are_bits (known w) [a; b; carry] then
      Some (Some (tabulate [a; b; carry] (fun l => Z.b2z (total sign l =? 0))), w)
    else if is_nothing b && is_nothing carry then
      '(z, w) <- zero_flag a w; Some (Some z, w)
    else Some (None, w).

  Definition run_flags (d : general) (a b carry : polynomial) (sign : Z) (m : machine)
      : option machine :=
    '(p, out, w) <- sum_row a b carry sign (wds m);
    '(z, w) <- zero_of a b carry sign w;
    put_word d p w (with_flags z (Some (carry_flag sign out)) m).

  Definition run_compare (a : polynomial) (m : machine) : option machine :=
    '(found, w) <- nonzero_flags a (wds m);
    match found with
    | Some (z, c) => Some (with_flags z (Some c) (with_words w m))
    | None => run_flags None a (constant 1) [] (-1) (with_words w m)
    end.

  Definition run_sum (subtracts with_carry sets : bool) (d a : general) (b : source) (m : machine)
      : option machine :=
    match content_of m a, with_carry || sets with
    | Pointer base from, false => move_pointer subtracts d base from b m
    | _, _ =>
        carry <- carry_in with_carry subtracts m;
        p <- word_of m a;
        '(q, m1) <- read_word 64 b m;
        let sign := sign_of subtracts in
        if negb sets then
          '(r, w) <- combined p q carry sign (wds m1); put_word d r w m1
        else if subtracts && negb with_carry && is_one q &&
                match d with None => true | Some _ => false end then run_compare p m1
        else run_flags d p q carry sign m1
    end.

  Definition bitwise (n : Z) (k : logic_kind) (inverts : bool) (p q : polynomial) (w : words)
      : option (polynomial * words) :=
    match k, inverts with
    | And, false => both p q w
    | And, true =>
        _ <- guard (n =? 64);
        Some (tabulate [p; q] (fun l => Z.land (hd 0 l) (radix - 1 - nth 1 l 0)), w)
    | Or, false => Some (tabulate [p; q] (fun l => Z.lor (hd 0 l) (nth 1 l 0)), w)
    | Xor, false => Some (tabulate [p; q] (fun l => Z.lxor (hd 0 l) (nth 1 l 0)), w)
    | _, true => None
    end.

  Definition zero_of_bits (p : polynomial) (w : words) : option polynomial :=
    if are_bits (known w) [p] then Some (tabulate [p] (fun l => Z.b2z (hd 0 l =? 0))) else None.

  Definition run_bitwise (n : Z) (k : logic_kind) (inverts sets : bool) (d : general)
      (p q : polynomial) (m : machine) : option machine :=
    '(r, w) <-
      (if are_bits (sys m) [p; q] then bitwise n k inverts p q (wds m)
       else match k, inverts with And, false => masked p q (wds m) | _, _ => None end);
    put_word d r w (if sets then with_flags (zero_of_bits r w) (Some []) m else m).

  Definition run_logic (n : Z) (k : logic_kind) (inverts sets : bool) (d a : general) (b : source)
      (m : machine) : option machine :=
    match k, a with
    | Or, None =>
        _ <- guard (negb sets);
        '(k, m1) <- read n b m;
        if inverts then
          _ <- guard (n =? 64);
          p <- as_polynomial k;
          '(q, w) <- inverted p (wds m1); put_word d q w m1
        else
          put d k m1
    | _, _ =>
        '(p, m1) <- sized_word n a m;
        '(q, m2) <- read_word n b m1;
        run_bitwise n k inverts sets d p q m2
    end.

  Definition run_keep (n : Z) (d : general) (z k : Z) (m : machine) : option machine :=
    p <- word_of m d;
    old <- as_number p;
    let x := old mod 2 ^ n in
    let new := x - x / 2 ^ k mod 2 ^ 16 * 2 ^ k + z * 2 ^ k in
    _ <- guard ((0 <=? new) && (new <? radix));
    put d (Known (Const new)) m.

  Definition run_field (signed : bool) (d a : general) (first last : Z) (m : machine)
      : option machine :=
    p <- word_of m a;
    _ <- guard ((0 <=? first) && (first <? 64) && (0 <=? last) && (last <? 64));
    let shifted_down :=
      '(q, w) <- right_by first p (wds m);
      if last =? 63 then Some (q, w) else low_bits (last - first + 1) q w in
    if signed then
      _ <- guard (last =? first);
      '(bit, w) <- shifted_down;
      _ <- guard (are_bits (known w) [bit]);
      put_word d (plus [] (radix - 1) bit) w m
    else if first <=? last then '(q, w) <- shifted_down; put_word d q w m
    else
      _ <- guard (last + 1 =? first);
      '(q, w) <- left_by (63 - last) p (wds m); put_word d q w m.

  Definition run_extract (d high low : general) (k : Z) (m : machine) : option machine :=
    p <- word_of m low;
    if k =? 0 then put_word d p (wds m) m
    else
      q <- word_of m high;
      _ <- guard ((0 <? k) && (k <? 64));
      '(q, w) <- left_by (64 - k) q (wds m);
      '(q, w) <- single q w;
      '(p, w) <- right_by k p w;
      '(p, w) <- single p w;
      '(r, w) <- define_one (plus q 1 p) w;
      put_word d r w m.

  Definition run_multiply (n : Z) (subtracts : bool) (d a b e : general) (m : machine)
      : option machine :=
    '(p, m1) <- sized_word n a m;
    '(q, m2) <- sized_word n b m1;
    '(low, w) <- low_half p q (wds m2);
    match e, subtracts with
    | None, false => put_word d low w m2
    | _, _ =>
        more <- word_of m2 e;
        '(r, w) <- combined more low [] (sign_of subtracts) w;
        put_word d r w m2
    end.

  Definition same_general (a b : general) : bool :=
    match a, b with
    | Some a, Some b => register_beq a b
    | None, None => true
    | _, _ => false
    end.

  Definition otherwise (k : select_kind) (p : polynomial) (w : words)
      : option (polynomial * words) :=
    match k with
    | Plain => Some (p, w)
    | Incremented => combined p (constant 1) [] 1 w
    | Inverted => inverted p w
    | Negated => combined [] p [] (-1) w
    end.

  Definition increments_same (k : select_kind) (a b : general) : bool :=
    match k with Incremented => same_general a b | _ => false end.

  Definition select_whole (k : select_kind) (d a b : general) (flag : polynomial) (m : machine)
      : option machine :=
    yes <- word_of m a;
    no <- word_of m b;
    if increments_same k a b then
      '(r, w) <- combined yes [] (plus (constant 1) (-1) flag) 1 (wds m);
      put_word d r w m
    else
      '(no, w) <- otherwise k no (wds m);
      '(r, w) <- select flag yes no w;
      put_word d r w m.

  (** The multiple of 1 less a flag that is chosen between 0 and what is made of 0. *)
  Definition flag_factor (n : Z) (k : select_kind) (a b : general) : option Z :=
    match k, a, b with
    | Incremented, None, None => Some 1
    | Inverted, None, None => Some (2 ^ n - 1)
    | _, _, _ => None
    end.

  Definition run_select (n : Z) (k : select_kind) (d a b : general) (cond : Z) (m : machine)
      : option machine :=
    flag <- condition cond m;
    _ <- guard ((n =? 64) || (n =? 32));
    match flag_factor n k a b with
    | Some f => put_word d (plus [] f (plus (constant 1) (-1) flag)) (wds m) m
    | None => _ <- guard (n =? 64); select_whole k d a b flag m
    end.

  Definition step (i : instruction) (m : machine) : option machine :=
    match i with
    | Sum n subtracts with_carry sets d a b =>
        _ <- guard (n =? 64); run_sum subtracts with_carry sets d a b m
    | Logic n k inverts sets d a b => run_logic n k inverts sets d a b m
    | Move d z => _ <- guard ((0 <=? z) && (z <? radix)); put d (Known (Const z)) m
    | Keep n d z k => run_keep n d z k m
    | Field signed d a first last => run_field signed d a first last m
    | Extract d high low k => run_extract d high low k m
    | MultiplyAdd n subtracts d a b e => run_multiply n subtracts d a b e m
    | MultiplyHigh d a b =>
        p <- word_of m a;
        q <- word_of m b;
        '(h, w) <- high_half p q (wds m); put_word d h w m
    | Select n k d a b cond => run_select n k d a b cond m
    | Load d a => accessed c a m (fun b o m1 => '(k, m2) <- load_from c code b o m1; put d k m2)
    | LoadPair d e a =>
        accessed c a m (fun b o m1 =>
          '(k, m2) <- load_from c code b o m1;
          '(j, m3) <- load_from c code b (o + 8) m2;
          m4 <- put d k m3; put e j m4)
    | Store r a => accessed c a m (fun b o m1 => store_to c code b o (content_of m r) m1)
    | StorePair r q a =>
        accessed c a m (fun b o m1 =>
          m2 <- store_to c code b o (content_of m r) m1;
          store_to c code b (o + 8) (content_of m q) m2)
    | Adr d z => put d (Pointer Code (pc m + z)) m
    | ReadFlags d => put d (Flags (flag_entry 30 (zf m) ++ flag_entry 29 (cf m))) m
    | WriteFlags r =>
        match content_of m r with
        | Flags l => Some (with_flags (flag_at 30 l) (flag_at 29 l) m)
        | _ => None
        end
    | Nothing => Some m
    | Call d => m1 <- put (Some X30) (Pointer Code (pc m)) m; jump c code (pc m + d) m1
    | Ret => None   (* [return_to], where a call is known *)
    end.
End Kernel.
