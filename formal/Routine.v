(** A call of a routine, by what is proved of it: what the symbolic machine makes of the call.

    The routine's areas are parts of the caller's. Behind the call, its results are new words, of
    which the contract is known and nothing else. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options Polynomial System Arithmetic Expression Replay
  Processor Contract Areas Entry Verdict Formula Forms Followed Runs.
Import ListNotations.
Open Scope Z_scope.

Module Make (F : Followed).
Import F F.P F.K.
Include Runs.Make F.

Record routine_known := RoutineKnown {
  lies : Z;                       (* where it is in the code *)
  says : contract;
  touches : list (area * Z * Z)   (* its instructions and accesses *)
}.

(** A value that lies whole in its words: what their number is below, whether it is signed, and what
    the value is modulo p. *)
Record value_known := ValueKnown {
  held_words : list word;
  held_below : Z;
  held_signed : bool;
  held_form : polynomial
}.

Fixpoint constant_number (ws : list word) : option Z :=
  match ws with
  | [] => Some 0
  | Const z :: ws' => n <- constant_number ws'; Some (z + radix * n)
  | Var _ :: _ | Mixed _ :: _ => None
  end.

Fixpoint same_words (a b : list word) : bool :=
  match a, b with
  | [], [] => true
  | x :: a', y :: b' => word_eqb x y && same_words a' b'
  | _, _ => false
  end.

(** What words are modulo p, if they are one whole value below this, or a constant. *)
Definition recognised (held : list value_known) (ws : list word) (less_than : Z) (signed : bool)
    : option polynomial :=
  match constant_number ws with
  | Some z => _ <- guard (negb signed && (z <? less_than)); Some (constant z)
  | None =>
      h <- List.find (fun h => same_words (held_words h) ws) held;
      _ <- guard (Bool.eqb (held_signed h) signed && (held_below h <=? less_than));
      Some (held_form h)
  end.

Fixpoint fresh_words (n : nat) (s : system) : list word * system :=
  match n with
  | O => ([], s)
  | S n' =>
      let (w, s1) := fresh (radix - 1) s in
      let (ws, s2) := fresh_words n' s1 in
      (w :: ws, s2)
  end.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.
  Variable al : algebra.

  (** ** Where the routine's areas lie. The stack pointer is at [top] of the caller's stack. *)

  Section Call.
    Variables (r : routine_known) (m : machine) (top : Z).

    Definition routine_code : list Z := skipn (Z.to_nat (lies r)) code.

    Definition pointed (k : content) : option (area * Z) :=
      match k with Pointer a o => Some (a, o) | _ => None end.

    Definition target (a : area) : option (area * Z) :=
      match a with
      | Result => pointed (file m (argument (says r) 0))
      | Operand k => pointed (file m (argument (says r) (S k)))
      | Code => Some (Code, lies r)
      | Stack => Some (Stack, top)
      | Entry _ => None
      end.

    Definition areas : list area :=
      Result :: Stack :: Code :: map (fun i => Operand (pointer i)) (inputs (says r)).

    Definition fitting (a : area) : bool :=
      match target a with
      | None => false
      | Some (b, o) =>
          let low := fst (room (says r) routine_code a) in
          let high := snd (room (says r) routine_code a) in
          (low <=? 0) && (if is_area a Stack then 0 <=? high else 0 <? high) &&
          (fst (room c code b) <=? o + low) && (o + high <=? snd (room c code b)) &&
          (is_area a Stack || negb (is_area b Stack) || (top + link_size <=? o + low))
      end.

    (** Words of the results. *)
    Definition count : nat := limbs (says r) * length (claims (says r)).

    Definition may_give (b : area) (o : Z) : bool :=
      (o mod 8 =? 0) &&
      (is_area b Result || is_area b Stack && (o + 8 * Z.of_nat count <=? 0)).

    Definition relocated (e : area * Z * Z) : option (area * Z * Z) :=
      let '(a, o, n) := e in
      _ <- guard (existsb (is_area a) areas);
      '(b, p) <- target a;
      Some (b, p + o, n).

    Definition taken_form (held : list value_known) (i : input) : option polynomial :=
      '(b, o) <- target (Operand (pointer i));
      ws <- words_at (cells m) b (o + 8 * Z.of_nat (before i)) (width i);
      recognised held ws (bound i) (is_signed i).

    (** ** The machine after the call *)

    Definition kept (b : area) (o : Z) (cell : area * Z * content) : bool :=
      let '(a, q, _) := cell in
      (negb (is_area a Stack) || (top + link_size <=? q)) &&
      forallb (fun j => survives b (o + 8 * Z.of_nat j) cell) (seq 0 count).

    Definition file_after (ws : list word) (q : register) : content :=
      if register_beq q stack_pointer then Pointer Stack (top + link_size)
      else if existsb (register_beq q) (saved (calling (says r))) then file m q
      else Known (nth (position q) ws (Const 0)).

    Definition given_cell (b : area) (o : Z) (ws : list word) (j : nat) : area * Z * content :=
      (b, o + 8 * Z.of_nat j, Known (nth (length all_registers + j) ws (Const 0))).

    Definition after (b : area) (o caller : Z) (ws : list word) (s : system)
        (touched : list (area * Z * Z)) : machine :=
      renewed m s (file_after ws)
        (map (given_cell b o ws) (seq 0 count) ++ filter (kept b o) (cells m))
        caller (touched ++ seen m).

    Definition given_value (b : area) (o : Z) (l : list (area * Z * content))
        (results : list polynomial) (k : nat) : option value_known :=
      ws <- words_at l b (o + 8 * Z.of_nat (limbs (says r) * k)) (limbs (says r));
      f <- nth_error results k;
      Some (ValueKnown ws (below (says r)) false f).

    Definition allowed (caller : Z) : bool :=
      (pc m =? lies r) && (modulus (says r) =? prime al) && (factor (says r) =? 1) &&
      (home (calling (says r)) =? 0) && (top + link_size <=? 0) && is_inside c code Code caller 1 &&
      (fst (room c code Stack) <? snd (room c code Stack)) && may_enter m top &&
      forallb fitting areas.
  End Call.

  (** From the routine's first instruction to the one after the call. *)
  Definition use (r : routine_known) (held : list value_known) (m : machine)
      : option (machine * list value_known) :=
    top <- stack_offset m;
    caller <- caller_of m top;
    _ <- guard (allowed r m top caller);
    '(b, o) <- target r m top Result;
    _ <- guard (may_give r b o);
    touched <- traverse (relocated r m top) (touches r);
    taken <- traverse (taken_form r m top held) (inputs (says r));
    forms <- forms_until al taken (between (says r));
    results <- traverse (form_of al forms) (claims (says r));
    let (ws, s) := fresh_words (length all_registers + count r) (sys m) in
    let m' := after r m top b o caller ws s touched in
    more <- traverse (given_value r b o (cells m') results) (seq 0 (length (claims (says r))));
    Some (m', held ++ more).

  (** ** What is known of values *)

  (** A value's words keep it, whatever later variables are. *)
  Definition held_right (s : system) (v : valuation) (x : valuation) (h : value_known) : Prop :=
    always s v (fun u => let z := value u (limbs_polynomial (held_words h)) in
      z < held_below h /\
      (prime al | read_as (held_signed h) (length (held_words h)) z - value x (held_form h))).

  Lemma constant_right v ws : forall z, constant_number ws = Some z ->
    value v (limbs_polynomial ws) = z.
  Proof.
    induction ws as [|[k|y|q] ws IH]; cbn [constant_number limbs_polynomial]; intros z C;
      try discriminate C.
    - now injection C as <-.
    - unbind C. injection C as <-. rewrite value_app, value_scale, value_word, (IH _ eq_refl).
      reflexivity.
  Qed.

  Lemma same_words_right a : forall b, same_words a b = true -> a = b.
  Proof.
    induction a as [|x a IH]; intros [|y b]; cbn [same_words]; try discriminate; auto.
    intros H. apply andb_prop in H as [H1 H2]. apply word_eqb_eq in H1. apply IH in H2. congruence.
  Qed.

  Lemma recognised_right s v x held ws b sg f : recognised held ws b sg = Some f ->
    (forall h, In h held -> held_right s v x h) ->
    value v (limbs_polynomial ws) < b /\
    (prime al | read_as sg (length ws) (value v (limbs_polynomial ws)) - value x f).
  Proof.
    unfold recognised. intros G H. destruct (constant_number ws) as [z|] eqn:C.
    - destruct sg; [discriminate G|]. destruct (z <? b) eqn:L; [|discriminate G].
      injection G as <-. apply Z.ltb_lt in L.
      rewrite (constant_right v _ _ C). split; [exact L|]. cbn [constant value product].
      exists 0. unfold read_as. cbn [andb]. ring.
    - destruct (List.find _ held) as [h|] eqn:E; [|discriminate G]. cbn [bind] in G.
      destruct (_ && _) eqn:L in G; [|discriminate G]. injection G as <-.
      apply andb_prop in L as [SG L]. apply Bool.eqb_prop in SG as <-.
      apply Z.leb_le in L. apply find_some in E as [I E]. apply same_words_right in E as <-.
      destruct (always_now _ _ _ (H _ I)) as [U D]. split; [lia | exact D].
  Qed.

  Lemma words_at_length l a n : forall o ws, words_at l a o n = Some ws -> length ws = n.
  Proof.
    induction n as [|n IH]; cbn [words_at]; intros o ws W; [now injection W as <-|].
    unbind W. unbind W. unbind W. injection W as <-. cbn [length]. f_equal. eapply IH, E1.
  Qed.

  Lemma fresh_words_right As : Forall is_word As -> forall s v ws s',
    fresh_words (length As) s = (ws, s') -> good s v ->
    exists v', extends s v s' v' /\ good s' v' /\ Forall2 (means s' v') ws As.
  Proof.
    induction 1 as [|A As W _ IH]; cbn [length fresh_words]; intros s v ws s' E G.
    - injection E as <- <-. exists v. split; [apply extends_refl | auto].
    - destruct (fresh (radix - 1) s) as [w s1] eqn:F.
      destruct (fresh_words (length As) s1) as [us s2] eqn:N. injection E as <- <-.
      destruct (fresh_right _ _ _ A _ _ F G) as (v1 & E1 & G1 & M1); [unfold is_word in W; lia|].
      destruct (IH _ _ _ _ N G1) as (v2 & E2 & G2 & M2).
      exists v2. split; [exact (extends_trans _ _ _ _ _ _ E1 E2)|]. split; [exact G2|].
      constructor; [exact (means_extends _ _ _ _ _ _ E2 M1) | exact M2].
  Qed.

  Lemma Forall2_nth {A B} (Q : A -> B -> Prop) a b l l' : Forall2 Q l l' ->
    forall n, (n < length l')%nat -> Q (nth n l a) (nth n l' b).
  Proof.
    induction 1 as [|x y l l' X _ IH]; intros n N; cbn [length] in N; [lia|].
    destruct n as [|n]; cbn [nth]; [exact X | apply IH; lia].
  Qed.
End Kernel.
End Make.
