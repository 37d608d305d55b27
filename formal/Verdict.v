(** What a certificate proves of a function that has been followed to its end. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Polynomial Options System Arithmetic Expression
  Processor Contract Areas Entry Replay Between.
Import ListNotations.
Open Scope Z_scope.

(** What a certificate proposes; a wrong proposal can only be refused. *)
Record certificate := Certificate {
  proposals : list proposal;
  equalities : list equality;           (* after the numbers between *)
  cases : list case
}.

Module Make (P : Processor).
Include Entry.Make P.
Import P.

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

(** The operands' values, as polynomials in the words that lie there on entry and in signs. *)
Definition input_known (l : list (area * Z * content)) (e : input * option word)
    : option number_known :=
  let (i, sign) := e in
  ws <- words_at l (Operand (pointer i)) (8 * Z.of_nat (before i)) (width i);
  if is_signed i then
    w <- sign;
    let all := radix ^ Z.of_nat (width i) in
    Some (minus (limbs_polynomial ws) (Polynomial.scale all (word_polynomial w)), None)
  else Some (limbs_polynomial ws, Some (bound i)).

Definition inputs_known (c : contract) (l : list (area * Z * content))
    : option (list number_known) :=
  traverse (input_known l) (combine (inputs c) (entered_signs c)).

Definition results_of (c : contract) (l : list (area * Z * content)) : option (list (list word)) :=
  traverse (fun k => words_at l Result (8 * Z.of_nat (limbs c * k)) (limbs c))
           (seq 0 (length (claims c))).

(** Whether z's values, which these cells hold in the end, are as the contract says. *)
Definition verdict (c : contract) (s1 : system) (l : list (area * Z * content))
    (given : certificate) : option unit :=
  numbers <- inputs_known c (entered_cells c);
  results <- results_of c l;
  '(s0, known) <- between_known (modulus c) (factor c) s1 numbers (between c) (proposals given);
  s <- with_equalities known s0 (equalities given);
  guard (forallb (speaks_of (length known)) (claims c) &&
    replay (modulus c) (factor c) (below c) (claims c) s known results (cases given)).

(** ** The proof *)

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
    destruct c0 as [u|?|?|?]; [|discriminate..]. injection E0 as ->. exact (always_now _ _ _ D).
Qed.

Lemma limbs_at_top m n : (forall i, 0 <= m i < 256) -> forall a, exists low,
  0 <= low < radix ^ Z.of_nat n /\
  limbs_at m a (S n) = low + radix ^ Z.of_nat n * load m (a + 8 * Z.of_nat n).
Proof.
  intros B. induction n as [|n IH]; intros a.
  - exists 0. cbn [limbs_at Z.of_nat]. rewrite Z.pow_0_r.
    replace (a + 8 * 0) with a by lia. lia.
  - destruct (IH (a + 8)) as (low & L & E). pose proof (load_is_word m a B) as [W0 W1].
    exists (load m a + radix * low). pose proof radix_pos as RP.
    rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. split; [nia|].
    cbn [limbs_at] in *. rewrite E. replace (a + 8 + 8 * Z.of_nat n)
      with (a + 8 * Z.succ (Z.of_nat n)) by lia. ring.
Qed.

(** The sign is 1 where the words are at least half of all. *)
Lemma sign_right c start i : (forall a, 0 <= memory start a < 256) -> (0 < width i)%nat ->
  input_words c start i - radix ^ Z.of_nat (width i) * sign_value c start i =
  let words := input_words c start i in
  let all := radix ^ Z.of_nat (width i) in
  if all <=? 2 * words then words - all else words.
Proof.
  intros B W. unfold input_words, sign_value, top_limb.
  destruct (width i) as [|n]; [lia|].
  set (a := place c start (Operand (pointer i)) + 8 * Z.of_nat (before i)).
  destruct (limbs_at_top (memory start) n B a) as (low & L & E). cbv zeta. rewrite E.
  replace (place c start (Operand (pointer i))
    + (8 * Z.of_nat (before i) + 8 * Z.of_nat (S n - 1))) with (a + 8 * Z.of_nat n)
    by (unfold a; replace (S n - 1)%nat with n by lia; lia).
  set (t := load _ _). pose proof (load_is_word _ (a + 8 * Z.of_nat n) B) as [T0 T1].
  fold t in T0, T1.
  rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. set (q := radix ^ Z.of_nat n) in *.
  assert (radix = 2 * (radix / 2)) as H by reflexivity. set (h := radix / 2) in *. clearbody h.
  destruct (Z_le_dec h t).
  - replace ((t + h) / radix) with 1 by (apply Z.div_unique with (r := t + h - radix); lia).
    destruct (Z.leb_spec (radix * q) (2 * (low + q * t))); [lia | exfalso; nia].
  - rewrite (Z.div_small (t + h)) by lia.
    destruct (Z.leb_spec (radix * q) (2 * (low + q * t))); [exfalso; nia | lia].
Qed.

Lemma nth_error_combined {A B} (l : list A) : forall (l' : list B) k x,
  length l' = length l -> nth_error l k = Some x ->
  exists y, nth_error l' k = Some y /\ nth_error (combine l l') k = Some (x, y).
Proof.
  induction l as [|a l IH]; intros [|b l'] [|k] x L N; try discriminate; cbn in *.
  - injection N as ->. eauto.
  - apply IH; [lia | exact N].
Qed.

(** The promise on z's values, as [done] has it. *)
Definition function_kept (c : contract) (start last : state) : Prop :=
  (exists values : nat -> Z,
    (forall q, (q < length (inputs c))%nat -> values q = operand_value c start q) /\
    (forall k number, nth_error (between c) k = Some number ->
      (modulus c | factor c * values (length (inputs c) + k)%nat - denote values number)) /\
    (forall k claim, nth_error (claims c) k = Some claim ->
      (modulus c | factor c * result_value c start last k - denote values claim))) /\
  (forall k, (k < length (claims c))%nat -> 0 <= result_value c start last k < below c).

(** A state in which registers are words and memory has bytes. *)
Definition proper (s : state) : Prop :=
  (forall r, is_word (registers s r)) /\ (forall a, 0 <= memory s a < 256).

Theorem verdict_right c code start given s1 v0 v l m : verdict c s1 l given = Some tt ->
  ready c code start ->
  (forall cell, In cell (entered_cells c) ->
    cell_right c code start (entered_system c) v0 (memory start) cell) ->
  length (entered_signs c) = length (inputs c) ->
  signs_mean c start (entered_system c) v0 (inputs c) (entered_signs c) ->
  extends (entered_system c) v0 s1 v -> good s1 v ->
  (forall cell, In cell l -> cell_right c code start s1 v m cell) ->
  (forall a, 0 <= m a < 256) ->
  forall last, memory last = m -> function_kept c start last.
Proof.
  unfold verdict, inputs_known, results_of. intros C R C0 LS SM EX G CL BM.
  destruct (traverse (input_known _) _) as [numbers|] eqn:TI; [|discriminate C].
  cbn [bind] in C.
  destruct (traverse _ (seq 0 (length (claims c)))) as [results|] eqn:TR; [|discriminate C].
  cbn [bind] in C. destruct (between_known _ _ _ _ _ _) as [[s0 known]|] eqn:BK; [|discriminate C].
  cbn [bind] in C. destruct (with_equalities _ _ _) as [s|] eqn:WE; [|discriminate C].
  cbn [bind] in C. destruct (_ && _) eqn:B in C; [|discriminate C]. clear C.
  apply andb_prop in B as [SO RP].
  pose proof (always_now _ _ _ G) as H.
  apply traverse_right in TI as [LI NI]. apply traverse_right in TR as [LR NR].
  assert (length numbers = length (inputs c)) as LN
    by (rewrite LI, combine_length, LS; apply Nat.min_id).
  assert (forall q i, nth_error (inputs c) q = Some i -> exists x b,
    nth_error numbers q = Some (x, b) /\ value v x = input_value c start i /\
    forall u, b = Some u -> u = bound i /\ is_signed i = false) as VP.
  { intros q i Q. destruct (nth_error_combined _ _ _ _ LS Q) as (sg & QS & QC).
    destruct (NI q _ QC) as (y & N & Y). cbn [input_known] in Y.
    destruct (words_at _ _ _ _) as [ws|] eqn:W; [|discriminate Y]. cbn [bind] in Y.
    assert (value v (limbs_polynomial ws) = input_words c start i) as VW.
    { eapply (words_at_right c code start s1 v (memory start)); [exact W|].
      intros [[a o] k] I. destruct (C0 _ I) as (I1 & I2 & I3).
      split; [exact I1|]. split; [exact I2|]. eapply denotes_extends; eauto. }
    unfold input_value, read_as. destruct (is_signed i) eqn:SI.
    - destruct sg as [w|]; [|discriminate Y]. cbn [bind] in Y. injection Y as <-.
      eexists _, _. split; [exact N|]. split; [|discriminate].
      destruct (SM q i w Q QS) as [WI MW].
      pose proof (always_now _ _ _ (means_extends _ _ _ _ _ _ EX MW)) as VS.
      rewrite value_minus, value_scale, value_word, VW, VS.
      exact (sign_right c start i (bytes_are _ _ _ R) WI).
    - injection Y as <-. eexists _, _. split; [exact N|]. split; [exact VW|].
      intros u [= <-]. auto. }
  assert (numbers_below v numbers) as NB.
  { intros q x b Q. assert (q < length (inputs c))%nat as L
      by (rewrite <- LN; apply nth_error_Some; rewrite Q; discriminate).
    apply nth_error_Some in L. destruct (nth_error (inputs c) q) as [i|] eqn:I; [|congruence].
    destruct (VP q i I) as (y & b' & N & V & BB). rewrite Q in N. injection N as <- <-.
    destruct (BB b eq_refl) as [-> SI]. rewrite V.
    unfold input_value, read_as. rewrite SI. cbn [andb].
    split; [|apply (values_below _ _ _ R i), (nth_error_In _ _ I)].
    apply limbs_at_nonnegative with (1 := bytes_are _ _ _ R). }
  destruct (between_right _ _ _ _ _ _ _ _ _ BK H NB) as (H1 & NB2 & LK & VK & DK).
  pose proof (with_equalities_right _ _ _ _ _ WE H1 NB2) as H2.
  set (values := number_value v known) in *.
  assert (forall k claim, nth_error (claims c) k = Some claim ->
    (modulus c | factor c * limbs_at m (place c start Result
       + 8 * Z.of_nat (limbs c * k)) (limbs c) - denote values claim) /\
    limbs_at m (place c start Result + 8 * Z.of_nat (limbs c * k)) (limbs c)
      < below c) as RES.
  { intros k claim N.
    assert (k < length (claims c))%nat as L by (apply nth_error_Some; congruence).
    destruct (replay_right _ _ _ _ _ _ results v H2 NB2 _ k RP L)
      as (ws & cl & W & N2 & D & B).
    assert (cl = claim) as -> by congruence.
    destruct (NR k k) as (ws' & W' & T).
    { rewrite nth_error_nth' with (d := 0%nat) by now rewrite seq_length.
      now rewrite seq_nth. }
    assert (ws' = ws) as -> by congruence.
    rewrite <- (words_at_right _ _ _ _ v _ _ _ _ _ _ T CL).
    split; [exact D | exact B]. }
  intros last ML. unfold function_kept, result_value. rewrite ML. split.
  - exists values. split; [|split].
    + intros q Q. unfold values. rewrite VK by now rewrite LN.
      unfold operand_value. apply nth_error_Some in Q.
      destruct (nth_error (inputs c) q) as [i|] eqn:I; [|congruence].
      destruct (VP q i I) as (x & b & N & V & _). unfold number_value, polynomial_of.
      rewrite (nth_error_nth _ _ _ N). cbn [fst]. rewrite V. symmetry.
      apply nth_error_nth with (d := 0). now apply map_nth_error.
    + intros k number N. rewrite <- LN. now apply DK.
    + intros k claim N. apply (RES k claim N).
  - intros k L. split; [apply limbs_at_nonnegative with (1 := BM)|].
    destruct (nth_error (claims c) k) as [claim|] eqn:N.
    + apply (RES k claim N).
    + apply nth_error_None in N. lia.
Qed.

End Make.
