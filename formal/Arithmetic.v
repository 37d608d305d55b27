(** Sums, differences, products and choices of words, each as rows of a system. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Polynomial System.
Import ListNotations.
Open Scope Z_scope.

(** a + sign * (b + c) as word and carry, or word and borrow. *)
Definition sum (a b c : word) (sign : Z) (s : system) : option (word * word * system) :=
  define (word_polynomial a ++ scale sign (word_polynomial b)
          ++ scale sign (word_polynomial c)) sign s.

Lemma sum_right a b c sign s v A B C w o s' :
  sum a b c sign s = Some (w, o, s') -> good s v ->
  means s v a A -> means s v b B -> means s v c C -> is_word A -> is_word B -> 0 <= C <= 1 ->
  (sign = 1 \/ sign = -1) ->
  exists v', extends s v s' v' /\ good s' v' /\
    means s' v' w ((A + sign * (B + C)) mod radix) /\
    means s' v' o (sign * ((A + sign * (B + C)) / radix)).
Proof.
  unfold is_word. intros D G MA MB MC WA WB WC S. eapply define_right; [exact D | exact G | |].
  - intros u U. cbv beta. rewrite !value_app, !value_scale, !value_word.
    rewrite (MA u U), (MB u U), (MC u U). ring.
  - destruct S as [-> | ->]; lia.
Qed.

(** Whether one of several words is not 0, or there is a borrow already: the borrow of 0 less the number
    that they make. *)
Fixpoint any (l : list word) (borrow : word) (s : system) : option (word * system) :=
  match l with
  | [] => Some (borrow, s)
  | w :: l' =>
      match sum (Const 0) w borrow (-1) s with
      | None => None
      | Some (_, out, s1) => any l' out s1
      end
  end.

Lemma any_right l : forall b s v B C w s',
  any l b s = Some (w, s') -> good s v -> Forall2 (means s v) l B -> Forall is_word B ->
  means s v b (Z.b2z C) ->
  exists v', extends s v s' v' /\ good s' v' /\
    means s' v' w (Z.b2z (C || negb (forallb (Z.eqb 0) B))).
Proof.
  induction l as [|u l IH]; intros b s v B C w s' D G F W M; cbn [any] in D.
  - injection D as <- <-. inversion F; subst. exists v. cbn [forallb negb].
    rewrite orb_false_r. auto using extends_refl.
  - destruct (sum (Const 0) u b (-1) s) as [[[q out] s1]|] eqn:E; [|discriminate D].
    inversion F as [|? A ? B' MU F']; subst. inversion W as [|? ? WA W']; subst.
    destruct (sum_right _ _ _ _ _ _ _ _ _ _ _ _ E G (means_const _ _ _) MU M) as
      (v1 & E1 & G1 & _ & MO); [split; [lia | reflexivity] | exact WA | destruct C; cbn; lia | auto |].
    assert (-1 * ((0 + -1 * (A + Z.b2z C)) / radix) = Z.b2z (C || negb (0 =? A))) as Q.
    { unfold is_word in WA. assert (0 < radix) as P by reflexivity.
      destruct (Z.eqb_spec 0 A) as [<-|N]; destruct C; cbn [Z.b2z orb negb].
      - rewrite <- (Z.div_unique (0 + -1 * (0 + 1)) radix (-1) (radix - 1)); lia.
      - reflexivity.
      - rewrite <- (Z.div_unique (0 + -1 * (A + 1)) radix (-1) (radix - A - 1)); lia.
      - rewrite <- (Z.div_unique (0 + -1 * (A + 0)) radix (-1) (radix - A)); lia. }
    rewrite Q in MO.
    assert (Forall2 (means s1 v1) l B') as F1.
    { clear -F' E1. induction F'; constructor; eauto using means_extends. }
    destruct (IH _ _ _ _ _ _ _ D G1 F1 W' MO) as (v2 & E2 & G2 & M2).
    exists v2. split; [exact (extends_trans _ _ _ _ _ _ E1 E2)|]. split; [exact G2|].
    cbn [forallb]. rewrite negb_andb, orb_assoc. exact M2.
Qed.

Definition word_eqb (a b : word) : bool :=
  match a, b with
  | Const c, Const d => c =? d
  | Var x, Var y => Pos.eqb x y
  | _, _ => false
  end.

Lemma word_eqb_eq a b : word_eqb a b = true -> a = b.
Proof.
  destruct a, b; cbn; try discriminate; intros H.
  - apply Z.eqb_eq in H. now subst.
  - apply Pos.eqb_eq in H. now subst.
Qed.

(** A square is 0 or 1 modulo 4, so its low half is at most 2^64 - 3. *)
Definition lower_high (w : word) (s : system) : system :=
  match w with
  | Const _ | Mixed _ => s
  | Var x =>
      match high s x with
      | None => s
      | Some h =>
          System (next s) (Map.add x (Z.min h (radix - 3)) (highs s)) (rows s) (next_row s)
                 (tops s) (masks s)
      end
  end.

Lemma lower_high_right w s v A : good s v -> means s v w A -> A <= radix - 3 ->
  good (lower_high w s) v /\ next (lower_high w s) = next s.
Proof.
  intros G M B. destruct w as [c|x|p]; cbn [lower_high]; [auto| |auto].
  destruct (high s x) as [h|] eqn:H; [|auto]. split; [|reflexivity].
  intros u U. destruct (G u U) as [R Z T K]. constructor; auto.
  intros y h' H'. unfold high in H'; cbn [highs] in H'. destruct (Pos.eq_dec y x) as [->|D].
  - rewrite Map.gss in H'. assert (h' = Z.min h (radix - 3)) as -> by congruence.
    specialize (R x h H). specialize (M u U).
    cbv beta in M. cbn [word_value] in M. lia.
  - rewrite Map.gso in H' by congruence. apply R, H'.
Qed.

Lemma square_low A : A * A mod radix <= radix - 3.
Proof.
  assert ((A * A mod radix) mod 4 <= 1) as Q.
  { change radix with (4 * 2 ^ 62). rewrite Z.rem_mul_r by lia.
    rewrite Z.mul_comm with (n := 4), Z.mod_add by lia. rewrite Z.mod_mod by lia.
    rewrite Z.mul_mod by lia.
    pose proof (Z.mod_pos_bound A 4 eq_refl) as B. set (r := A mod 4) in *.
    assert (r = 0 \/ r = 1 \/ r = 2 \/ r = 3) as [-> | [-> | [-> | ->]]] by lia;
      cbn; lia. }
  pose proof (Z.mod_pos_bound (A * A) radix eq_refl) as B.
  set (t := A * A mod radix) in *.
  pose proof (Z.div_mod t 4 ltac:(lia)) as D. pose proof (Z.mod_pos_bound t 4 eq_refl). clearbody t.
  assert (radix = 4 * 4611686018427387904) as R by reflexivity. lia.
Qed.

(** Low and high half of a product; no high half where the largest values have none. *)
Definition multiply (a b : word) (s : system) : option (word * word * system) :=
  let right := times (word_polynomial a) (word_polynomial b) in
  match most s right with
  | None => None
  | Some m =>
      if m <? radix then
        match define_word right s with
        | Some (w, s') => Some (w, Const 0, s')
        | None => None
        end
      else
        match define right 1 s with
        | Some (l, h, s') => Some (l, h, if word_eqb a b then lower_high l s' else s')
        | None => None
        end
  end.

Lemma multiply_right a b s v A B l h s' :
  multiply a b s = Some (l, h, s') -> good s v ->
  means s v a A -> means s v b B -> is_word A -> is_word B ->
  exists v', extends s v s' v' /\ good s' v' /\
    means s' v' l (A * B mod radix) /\ means s' v' h (A * B / radix).
Proof.
  unfold is_word. intros D G MA MB WA WB. unfold multiply in D.
  set (right := times (word_polynomial a) (word_polynomial b)) in *.
  assert (always s v (fun u => value u right = A * B)) as P.
  { intros u U. cbv beta. unfold right.
    now rewrite value_times, !value_word, (MA u U), (MB u U). }
  assert (0 <= A * B) as N by (apply Z.mul_nonneg_nonneg; lia).
  destruct (most s right) as [m|] eqn:M; [|discriminate].
  pose proof (most_value _ _ _ _ _ G P M) as U.
  destruct (m <? radix) eqn:E.
  - apply Z.ltb_lt in E. destruct (define_word right s) as [[w s1]|] eqn:F; [|discriminate].
    injection D as <- <- <-.
    destruct (define_word_right _ _ _ _ _ _ F G P ltac:(unfold is_word; lia))
      as (v' & E' & G' & W').
    exists v'. rewrite Z.mod_small, Z.div_small by lia. auto using means_const.
  - destruct (define right 1 s) as [[[l0 h0] s1]|] eqn:F; [|discriminate].
    destruct (define_right _ _ _ _ _ _ _ _ F G P ltac:(auto)) as (v' & E' & G' & L & H).
    rewrite Z.mul_1_l in H. injection D as -> -> <-. exists v'.
    destruct (word_eqb a b) eqn:Q; [|auto].
    apply word_eqb_eq in Q; subst b.
    assert (A = B) as -> by (rewrite <- (always_now _ _ _ MA); apply (always_now _ _ _ MB)).
    destruct (lower_high_right l s1 v' (B * B mod radix) G' L (square_low B)) as [G2 N2].
    destruct E'. unfold extends, means, always in *. rewrite !N2. auto.
Qed.

(** flag * when_set + (1 - flag) * otherwise. *)
Definition choose (flag when_set otherwise : word) (s : system) : option (word * system) :=
  match flag with
  | Const c => Some (if c =? 0 then otherwise else when_set, s)
  | Mixed _ => None
  | Var _ =>
      match most s (word_polynomial when_set), most s (word_polynomial otherwise) with
      | Some h1, Some h2 =>
          let (w, s') := fresh (Z.max h1 h2) s in
          let difference := minus (word_polynomial when_set) (word_polynomial otherwise) in
          let right := word_polynomial otherwise ++ times (word_polynomial flag) difference in
          Some (w, add_row (minus (word_polynomial w) right) s')
      | _, _ => None
      end
  end.

Lemma means_polynomial s v a A : means s v a A ->
  always s v (fun u => value u (word_polynomial a) = A).
Proof. intros M u U. cbv beta. rewrite value_word. apply M, U. Qed.

Lemma choose_right flag a b s v (f : bool) A B w s' :
  choose flag a b s = Some (w, s') -> good s v ->
  means s v flag (Z.b2z f) -> means s v a A -> means s v b B -> is_word A -> is_word B ->
  exists v', extends s v s' v' /\ good s' v' /\ means s' v' w (if f then A else B).
Proof.
  unfold is_word. intros D G MF MA MB WA WB.
  destruct flag as [c|x|p]; cbn [choose] in D; [| |discriminate D].
  - injection D as <- <-. exists v. split; [apply extends_refl|]. split; [exact G|].
    pose proof (always_now _ _ _ MF) as F. cbn [word_value] in F. subst c.
    destruct f; exact MA || exact MB.
  - destruct (most s (word_polynomial a)) as [h1|] eqn:M1; [|discriminate].
    destruct (most s (word_polynomial b)) as [h2|] eqn:M2; [|discriminate].
    destruct (fresh _ s) as [w0 s1] eqn:F1.
    match type of D with context [add_row ?r _] => set (choice := r) in D end.
    injection D as -> <-.
    pose proof (most_value _ _ _ _ _ G (means_polynomial _ _ _ _ MA) M1) as B1.
    pose proof (most_value _ _ _ _ _ G (means_polynomial _ _ _ _ MB) M2) as B2.
    destruct (fresh_right _ _ v (if f then A else B) _ _ F1 G ltac:(destruct f; lia))
      as (v1 & E1 & G1 & W1).
    exists v1. split; [exact E1|]. split; [|exact W1].
    apply add_row_right; [exact G1|]. intros u U. unfold choice.
    rewrite value_minus, value_app, value_times, value_minus, !value_word, (W1 u U).
    rewrite (means_extends _ _ _ _ _ _ E1 MA u U), (means_extends _ _ _ _ _ _ E1 MB u U),
      (means_extends _ _ _ _ _ _ E1 MF u U).
    destruct f; cbn [Z.b2z]; ring.
Qed.
