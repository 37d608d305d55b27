(** What the tables of words say, and that what is looked up in them is true. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Polynomial Options System Arithmetic Forms.
From Fieldc.aarch64 Require Import Carries Words.
Import ListNotations.
Open Scope Z_scope.

Record entries_hold (u : valuation) (w : words) : Prop := {
  halves_hold : forall p l h, In (p, (l, h)) (halves w) ->
    value u l = value u p mod radix /\ value u h = value u p / radix;
  lows_hold : forall x p h, In (x, (p, h)) (lows w) ->
    u x = value u p mod radix /\ value u h = value u p / radix;
  residues_hold : forall x b f, In (x, (b, f)) (residues w) -> u x = (f * u b) mod radix;
  congruents_hold : forall b f x, In (b, f, x) (congruents w) -> u x = (f * u b) mod radix;
  names_hold : forall p q, In (p, q) (named w) -> value u q = value u p;
  zeros_hold : forall f p, In (f, p) (zeros w) ->
    value u f = Z.b2z (value u p =? 0) /\ is_word (value u p);
  rows_hold : forall t p a c, In (t, p, (a, c)) (made w) ->
    value u a = value u p mod radix /\ value u c = t * (value u p / radix)
}.

Definition right (w : words) (v : valuation) : Prop :=
  always (known w) v (fun u => holds u (known w) /\ entries_hold u w).

(** A polynomial has this value in the run that a valuation describes. *)
Definition worth (w : words) (v : valuation) (p : polynomial) (A : Z) : Prop :=
  always (known w) v (fun u => value u p = A).

Definition grows (w : words) (v : valuation) (w' : words) (v' : valuation) : Prop :=
  extends (known w) v (known w') v' /\ right w' v'.

Lemma grows_refl w v : right w v -> grows w v w v.
Proof. split; [apply extends_refl | assumption]. Qed.

Lemma grows_trans w v w1 v1 w2 v2 : grows w v w1 v1 -> grows w1 v1 w2 v2 -> grows w v w2 v2.
Proof. intros [E _] [F R]. split; [eapply extends_trans; eauto | exact R]. Qed.

Lemma grows_worth w v w' v' p A : grows w v w' v' -> worth w v p A -> worth w' v' p A.
Proof. intros [E _]. apply always_extends, E. Qed.

Lemma right_good w v : right w v -> good (known w) v.
Proof. intros R u U. apply (R u U). Qed.

Lemma worth_unique w v p A B : worth w v p A -> worth w v p B -> A = B.
Proof. intros X Y. apply always_now in X, Y. congruence. Qed.

(** Facts of the old words are true of the new ones. *)
Lemma right_system w v s v' : right w v -> extends (known w) v s v' -> good s v' ->
  grows w v (with_known s w) v'.
Proof.
  intros R E G. split; [exact E|]. intros u U. split; [exact (G u U)|].
  destruct E as [N A]. destruct (R u) as [_ H]; [|destruct H; constructor; assumption].
  intros x X. rewrite (A x X). apply U. cbn [with_known known] in *. lia.
Qed.

Ltac noted R :=
  let u := fresh "u" in let U := fresh "U" in
  intros u U; destruct (R u U) as [? []]; split; [assumption|]; constructor; auto.

Lemma right_halves w v p l h : right w v ->
  always (known w) v (fun u => value u l = value u p mod radix /\ value u h = value u p / radix) ->
  right (note_halves p l h w) v.
Proof. intros R F. noted R. intros p' l' h' [[= <- <- <-]|I]; [now apply F | auto]. Qed.

Lemma right_low w v x p h : right w v ->
  always (known w) v (fun u => u x = value u p mod radix /\ value u h = value u p / radix) ->
  right (note_low x p h w) v.
Proof. intros R F. noted R. intros x' p' h' [[= <- <- <-]|I]; [now apply F | auto]. Qed.

Lemma right_name w v p q : right w v -> always (known w) v (fun u => value u q = value u p) ->
  right (note_name p q w) v.
Proof.
  intros R F. noted R. intros p' q' [[= <- <-]|[[= <- <-]|I]]; [reflexivity | now apply F | auto].
Qed.

Lemma right_zero w v f p : right w v ->
  always (known w) v (fun u => value u f = Z.b2z (value u p =? 0) /\ is_word (value u p)) ->
  right (note_zero f p w) v.
Proof. intros R F. noted R. intros f' p' [[= <- <-]|I]; [now apply F | auto]. Qed.

Lemma right_row w v t p a c : right w v ->
  always (known w) v (fun u =>
    value u a = value u p mod radix /\ value u c = t * (value u p / radix)) ->
  right (note_row t p a c w) v.
Proof. intros R F. noted R. intros t' p' a' c' [[= <- <- <- <-]|I]; [now apply F | auto]. Qed.

Lemma right_residue w v x b f : right w v ->
  always (known w) v (fun u => u x = (f * u b) mod radix) -> right (note_residue x b f w) v.
Proof.
  intros R F. noted R.
  - intros x' b' f' [[= <- <- <-]|I]; [now apply F | auto].
  - intros b' f' x' I. cbn [note_residue congruents] in I.
    destruct (by_residue b f (congruents w)); [auto|].
    destruct I as [[= <- <- <-]|I]; [now apply F | auto].
Qed.

(** ** Look-ups *)

Lemma by_polynomial_in {A} p l (a : A) : by_polynomial p l = Some a -> In (p, a) l.
Proof.
  induction l as [|[q b] l IH]; cbn [by_polynomial]; [discriminate|].
  destruct (same p q) eqn:E; [|intros H; right; auto].
  apply same_right in E as ->. intros [= ->]. now left.
Qed.

Lemma by_variable_in {A} x l (a : A) : by_variable x l = Some a -> In (x, a) l.
Proof.
  induction l as [|[y b] l IH]; cbn [by_variable]; [discriminate|].
  destruct (Pos.eqb_spec x y) as [->|]; [|intros H; right; auto]. intros [= ->]. now left.
Qed.

Lemma by_residue_in b f l x : by_residue b f l = Some x -> In (b, f, x) l.
Proof.
  induction l as [|[[y g] z] l IH]; cbn [by_residue]; [discriminate|].
  destruct (Pos.eqb b y && (f =? g)) eqn:E; [|intros H; right; auto].
  apply andb_prop in E as [E1 E2]. apply Pos.eqb_eq in E1 as ->. apply Z.eqb_eq in E2 as ->.
  intros [= ->]. now left.
Qed.

Lemma by_row_in t p l e : by_row t p l = Some e -> In (t, p, e) l.
Proof.
  induction l as [|[[y q] z] l IH]; cbn [by_row]; [discriminate|].
  destruct ((t =? y) && same p q) eqn:E; [|intros H; right; auto].
  apply andb_prop in E as [E1 E2]. apply Z.eqb_eq in E1 as ->. apply same_right in E2 as ->.
  intros [= ->]. now left.
Qed.

(** ** Shapes *)

Lemma value_literal u c : value u (literal c) = c.
Proof. unfold literal. destruct (Z.eqb_spec c 0) as [->|]; cbn; lia. Qed.

Lemma as_number_right p c : as_number p = Some c -> forall u, value u p = c.
Proof.
  destruct p as [|[d [|]] [|]];
    try discriminate; intros [= <-] u; cbn [value Polynomial.product]; ring.
Qed.

Lemma as_multiple_right p c x : as_multiple p = Some (c, x) -> forall u, value u p = c * u x.
Proof.
  destruct p as [|[d [|y [|]]] [|]];
    try discriminate; intros [= <- <-] u; cbn [value Polynomial.product]; ring.
Qed.

Lemma as_variable_right p x : as_variable p = Some x -> forall u, value u p = u x.
Proof.
  unfold as_variable. destruct p as [|[[|[| |]|] [|y [|]]] [|]]; try discriminate.
  intros [= <-] u. cbn [value Polynomial.product]. ring.
Qed.

Lemma value_of_variable u x : value u (of_variable x) = u x.
Proof. cbn [of_variable value Polynomial.product]. ring. Qed.

Lemma value_as_word u p : word_value u (as_word_of p) = value u p.
Proof.
  unfold as_word_of. destruct (as_number p) as [c|] eqn:E;
    [cbn; now rewrite (as_number_right _ _ E)|].
  destruct (as_variable p) as [x|] eqn:F; [|reflexivity].
  cbn. now rewrite (as_variable_right _ _ F).
Qed.

Lemma value_of_word u a : value u (polynomial_of_word a) = word_value u a.
Proof. unfold polynomial_of_word. now rewrite value_tidy, value_word. Qed.

Lemma value_plus u p t q : value u (plus p t q) = value u p + t * value u q.
Proof. unfold plus. now rewrite value_tidy, value_app, value_scale. Qed.

Lemma worth_plus w v p q t A B : worth w v p A -> worth w v q B ->
  worth w v (plus p t q) (A + t * B).
Proof. intros X Y u U. rewrite value_plus, (X u U), (Y u U). reflexivity. Qed.

Lemma worth_literal w v c : worth w v (literal c) c.
Proof. intros u _. apply value_literal. Qed.

Lemma worth_number w v p c : as_number p = Some c -> worth w v p c.
Proof. intros E u _. now apply as_number_right. Qed.

Lemma worth_as_word w v p A : worth w v p A -> means (known w) v (as_word_of p) A.
Proof. intros X u U. rewrite value_as_word. now apply X. Qed.

Lemma worth_of_word w v a A : means (known w) v a A -> worth w v (polynomial_of_word a) A.
Proof. intros X u U. rewrite value_of_word. now apply X. Qed.

Lemma worth_bits w v ps f l : right w v -> are_bits (known w) ps = true ->
  Forall2 (worth w v) ps l -> worth w v (tabulate ps f) (f l).
Proof.
  intros R B F u U. rewrite (tabulate_right u (known w)) by (apply (R u U) || exact B).
  f_equal. clear B.
  induction F as [|p A ps l X _ IH]; cbn [map]; [reflexivity|]. now rewrite (X u U), IH.
Qed.

(** ** Residues *)

Lemma divides_same x y : (radix | x - y) -> x mod radix = y mod radix.
Proof.
  intros [q Q]. replace x with (y + q * radix) by lia. apply Z.mod_add. discriminate.
Qed.

Lemma mod_divides x : (radix | x - x mod radix).
Proof. exists (x / radix). pose proof (Z.div_mod x radix ltac:(discriminate)). lia. Qed.

Lemma reduced_value u p :
  (radix | value u p - value u (map (fun t : Z * monomial => (fst t mod radix, snd t)) p)).
Proof.
  induction p as [|[c m] p [q Q]]; cbn [map value fst snd]; [exists 0; reflexivity|].
  destruct (mod_divides c) as [r E]. exists (r * Polynomial.product u m + q).
  replace c with (c mod radix + r * radix) at 1 by lia.
  rewrite Z.mul_add_distr_r. lia.
Qed.

Lemma residue_of_right u w p b f : entries_hold u w -> residue_of p w = Some (b, f) ->
  (radix | value u p - f * u b).
Proof.
  intros H E. unfold residue_of in E. unbind E.
  destruct (tidy _) as [|[g [|y [|]]] [|]] eqn:T; try discriminate E. injection E as <- <-.
  assert (value u (tidy (map (fun t : Z * monomial => (fst t mod radix, snd t)) (normal l)))
    = g * u y) as V by (rewrite T; cbn [value Polynomial.product]; ring).
  rewrite value_tidy in V. rewrite <- V.
  assert ((radix | value u p - value u l)) as D.
  { clear - H E0. revert l E0. induction p as [|[c m] p IH]; cbn [traverse]; intros l E.
    - injection E as <-. exists 0. reflexivity.
    - unbind E. unbind E. injection E as <-. destruct (IH _ eq_refl) as [q Q].
      cbn [fst snd] in E0. destruct m as [|x [|]]; try discriminate E0.
      destruct (mod_divides c) as [r C]. destruct (by_variable x (residues w)) as [[d g]|] eqn:F.
      + injection E0 as <-. apply by_variable_in, (residues_hold _ _ H) in F.
        destruct (mod_divides (g * u d)) as [k K]. rewrite <- F in K.
        exists (r * u x + q - c mod radix * k). cbn [value Polynomial.product].
        replace c with (c mod radix + r * radix) at 1 by lia.
        replace (u x) with (g * u d - k * radix) at 1 by lia. nia.
      + injection E0 as <-. exists (r * u x + q). cbn [value Polynomial.product].
        replace c with (c mod radix + r * radix) at 1 by lia. nia. }
  pose proof (reduced_value u (normal l)) as M. rewrite value_normal in M.
  destruct D as [i I], M as [j J]. exists (i + j). lia.
Qed.

Lemma right_remember w v p residue : right w v ->
  (forall b f, residue = Some (b, f) ->
    always (known w) v (fun u => value u p = (f * u b) mod radix)) ->
  right (remember p residue w) v.
Proof.
  intros R F. unfold remember. destruct (as_variable p) as [x|] eqn:E; [|exact R].
  destruct residue as [[b f]|]; [|exact R]. apply right_residue; [exact R|]. intros u U.
  rewrite <- (as_variable_right _ _ E). now apply (F b f).
Qed.

Lemma known_remember p residue w : known (remember p residue w) = known w.
Proof.
  unfold remember. destruct (as_variable p); [|reflexivity].
  destruct residue as [[? ?]|]; reflexivity.
Qed.
