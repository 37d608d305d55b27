(** The checker, and the theorem: what it accepts keeps its promise, in every run. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Polynomial System Arithmetic Bits Machine Contract Memory Symbolic
  Simulation Sums Steps Decode Run Replay.
Import ListNotations.
Open Scope Z_scope.

(** The words that lie side by side from an offset on. *)
Fixpoint words_at (l : list (area * Z * content)) (a : area) (o : Z) (n : nat)
    : option (list word) :=
  match n with
  | O => Some []
  | S n' =>
      k <- find a o l;
      w <- as_word k;
      ws <- words_at l a (o + 8) n';
      Some (w :: ws)
  end.

Fixpoint traverse {A} (f : nat -> option A) (l : list nat) : option (list A) :=
  match l with
  | [] => Some []
  | k :: l' => a <- f k; r <- traverse f l'; Some (a :: r)
  end.

(** Whether an expression speaks of the first n operands only. *)
Fixpoint speaks_of (n : nat) (e : expression) : bool :=
  match e with
  | Value k => Nat.ltb k n
  | Integer _ => true
  | Plus a b | Minus a b | Times a b => speaks_of n a && speaks_of n b
  end.

Definition check (c : contract) (code : list Z) (cases : list case) : bool :=
  let first := entered c in
  let values := (operands c * beside c)%nat in
  match follow c code (length code) first with
  | None => false
  | Some m =>
      match traverse (fun q => words_at (cells first) (Operand (q / beside c))
                                 (8 * Z.of_nat (width c * (q mod beside c))) (width c))
                     (seq 0 values),
            traverse (fun k => words_at (cells m) Result (8 * Z.of_nat (limbs c * k)) (limbs c))
                     (seq 0 (length (claims c))) with
      | Some inputs, Some results =>
          let polynomials := map limbs_polynomial inputs in
          plausible c code && returns c code m && forallb (speaks_of values) (claims c) &&
          replay c (sys m) (fun q => nth q polynomials []) results cases
      | _, _ => false
      end
  end.

(** ** The proof *)

Lemma traverse_right {A} (f : nat -> option A) n : forall from r,
  traverse f (seq from n) = Some r -> length r = n /\
  forall k, (k < n)%nat -> nth_error r k = f (from + k)%nat.
Proof.
  induction n as [|n IH]; cbn [seq traverse]; intros from r T.
  - injection T as <-. split; [reflexivity | lia].
  - unbind T. unbind T. injection T as <-. apply IH in E0 as [L N].
    split; [cbn; now rewrite L|]. intros [|k] K; cbn [nth_error].
    + now rewrite Nat.add_0_r, E.
    + rewrite N by lia. f_equal. lia.
Qed.

Lemma words_at_right c code start s v m l a n : forall o ws,
  words_at l a o n = Some ws ->
  (forall cell, In cell l -> cell_right c code start s v m cell) ->
  value v (limbs_polynomial ws) = limbs_at m (place c start a + o) n.
Proof.
  induction n as [|n IH]; cbn [words_at]; intros o ws W C.
  - injection W as <-. reflexivity.
  - unbind W. unbind W. unbind W. injection W as <-. cbn [limbs_polynomial limbs_at].
    rewrite value_app, value_scale, value_word, (IH _ _ E1 C).
    replace (place c start a + o + 8) with (place c start a + (o + 8)) by lia. f_equal.
    apply find_in in E. destruct (C _ E) as (_ & _ & D).
    destruct c0 as [u|]; [|discriminate]. injection E0 as ->. exact (always_now _ _ _ D).
Qed.

Lemma denote_ext n x y e : speaks_of n e = true -> (forall k, (k < n)%nat -> x k = y k) ->
  denote x e = denote y e.
Proof.
  intros S E. induction e; cbn [speaks_of denote] in *;
    try (apply andb_prop in S as [S1 S2]; now rewrite IHe1, IHe2).
  - apply E. now apply Nat.ltb_lt.
  - reflexivity.
Qed.

Lemma run_one_more n : forall s s' s'', run n s = Some s' -> advance s' = Some s'' ->
  run (Datatypes.S n) s = Some s''.
Proof.
  induction n as [|n IH]; intros s s' s'' RN NX.
  - cbn [run] in *. injection RN as ->. now rewrite NX.
  - cbn [run] in RN. destruct (advance s) as [t|] eqn:T; [|discriminate].
    specialize (IH _ _ _ RN NX). cbn [run] in *. now rewrite T.
Qed.

Theorem checked c code cases : check c code cases = true ->
  exists seen n, forall start, ready c code start ->
  exists last, run n start = Some last /\ done c code seen start last.
Proof.
  unfold check. intros C.
  destruct (follow c code (length code) (entered c)) as [m|] eqn:F; [|discriminate].
  destruct (traverse _ (seq 0 (operands c * beside c))) as [inputs|] eqn:TI; [|discriminate].
  destruct (traverse _ (seq 0 (length (claims c)))) as [results|] eqn:TR; [|discriminate].
  apply andb_prop in C as [C RP]. apply andb_prop in C as [C SO]. apply andb_prop in C as [P RT].
  destruct (follow_right _ _ _ _ _ F) as (n & K).
  exists ((Stack, 0, 8) :: seen m), (Datatypes.S n). intros start R.
  destruct (entered_right c code start R P) as (v0 & S0).
  destruct (K start R _ _ S0) as (s1 & v & s2 & RN & NX & S2 & EX).
  unfold returns in RT. apply andb_prop in RT as [RT SV]. apply andb_prop in RT as [RS RI].
  apply is_inside_right in RI.
  destruct (stack_offset m) as [o|] eqn:O; [|discriminate].
  assert (o = 0) as -> by (destruct o; (discriminate || reflexivity)).
  pose proof (stack_offset_right _ _ _ _ _ _ _ S2 O) as SP.
  rewrite (inside_no_wrap _ _ _ R _ _ _ RI ltac:(lia)), Z.add_0_r in SP.
  cbn [execute] in NX. cbn [place] in SP.
  exists (go (load (memory s2) (registers s2 RSP))
    (set RSP ((registers s2 RSP + 8) mod radix) (note (registers s2 RSP) 8 s2))).
  split; [eapply run_one_more; eauto|].
  pose proof (always_now _ _ _ (good_sys _ _ _ _ _ _ S2)) as H.
  apply traverse_right in TI as [LI NI]. apply traverse_right in TR as [LR NR].
  set (poly := fun q => nth q (map limbs_polynomial inputs) []) in *.
  assert (forall q, (q < operands c * beside c)%nat ->
    value v (poly q) = operand_value c start q) as VP.
  { intros q Q. specialize (NI q Q). cbn [Nat.add] in NI. unfold poly.
    destruct (nth_error inputs q) as [ws|] eqn:W;
      [|apply nth_error_None in W; lia].
    rewrite (nth_error_nth (map limbs_polynomial inputs) q [] (map_nth_error _ _ _ W)).
    eapply (words_at_right c code start (sys m) v (memory start)); [symmetry; exact NI|].
    intros [[a o] k] I. destruct (cells_right _ _ _ _ _ _ S0 _ I) as (I1 & I2 & I3).
    split; [exact I1|]. split; [exact I2|]. eapply denotes_extends; eauto. }
  assert (forall q, (q < operands c * beside c)%nat -> 0 <= value v (poly q) < bound c) as VB.
  { intros q Q. rewrite (VP q Q). split; [|apply (values_below _ _ _ R q Q)].
    apply limbs_at_nonnegative with (1 := bytes_are _ _ _ R). }
  assert (forall k claim, nth_error (claims c) k = Some claim ->
    (modulus c | factor c * limbs_at (memory s2) (place c start Result
       + 8 * Z.of_nat (limbs c * k)) (limbs c) - denote (operand_value c start) claim) /\
    limbs_at (memory s2) (place c start Result + 8 * Z.of_nat (limbs c * k)) (limbs c)
      < below c) as RES.
  { intros k claim N.
    assert (k < length (claims c))%nat as L by (apply nth_error_Some; congruence).
    destruct (replay_right c (sys m) poly results v H VB cases k RP L)
      as (ws & cl & W & N2 & D & B).
    assert (cl = claim) as -> by congruence.
    specialize (NR k L). cbn [Nat.add] in NR. rewrite W in NR. symmetry in NR.
    rewrite <- (words_at_right _ _ _ _ v _ _ _ _ _ _ NR (cells_right _ _ _ _ _ _ S2)).
    split; [|exact B].
    rewrite (denote_ext _ _ _ _ (proj1 (forallb_forall _ _) SO _ (nth_error_In _ _ N)) VP) in D.
    exact D. }
  constructor; unfold result_value; cbn [go set note registers memory rip trace].
  - intros k claim N. apply (RES k claim N).
  - intros k L. split; [apply limbs_at_nonnegative with (1 := bytes _ _ _ _ _ _ S2)|].
    destruct (nth_error (claims c) k) as [claim|] eqn:N.
    + apply (RES k claim N).
    + apply nth_error_None in N. lia.
  - rewrite SP. apply load_ext. intros a A. apply (frame _ _ _ _ _ _ S2).
    intros [W|[_ W]].
    + apply (stack_apart _ _ _ R Result ltac:(discriminate) _ W).
      replace a with (place c start Stack + 0 + (a - registers start RSP)) by (cbn [place]; lia).
      apply within_inside with (n := 8); [exact RI | lia].
    + apply W. cbn [place]. lia.
  - rewrite SP. reflexivity.
  - intros r I. rewrite forallb_forall in SV. specialize (SV r I). unfold is_restored in SV.
    pose proof (file_right _ _ _ _ _ _ S2 r) as D.
    pose proof (words_are _ _ _ R r) as W. unfold is_word in W.
    destruct (file m r) as [u|[| | |q] [| |]] eqn:E; try discriminate.
    apply andb_prop in SV as [SV NS]. apply negb_true_iff in NS. rewrite NS.
    apply internal_register_dec_bl in SV. subst q. cbn [denotes place] in D.
    rewrite Z.add_0_r, Z.mod_small in D by exact W. exact D.
  - apply (frame _ _ _ _ _ _ S2).
  - cbn [map app access_at place]. rewrite SP, Z.add_0_r. f_equal.
    apply (trace_right _ _ _ _ _ _ S2).
  - intros a o k [[= <- <- <-]|I]; [exact RI | apply (seen_right _ _ _ _ _ _ S2 _ _ _ I)].
Qed.
