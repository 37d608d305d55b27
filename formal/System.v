(** Words as constants or variables, and the equations that instructions give.

    A [system] is what the checker knows: ranges of variables, and rows, polynomials that are 0. It
    holds of a valuation. What is defined here, in [Arithmetic.v] and in [Bits.v] makes variables
    and rows. Each lemma says: if the words that are given have values, then the new variables can
    be given values such that the system holds and the new word is what the processor computes. *)

From Coq Require Import ZArith List Lia Bool FMapPositive.
From Fieldc Require Import Word Polynomial.
Import ListNotations.
Open Scope Z_scope.

Module Map := PositiveMap.

(** Most words are constants or variables. AArch64's may be polynomials in carries. *)
Inductive word := Const (c : Z) | Var (x : variable) | Mixed (p : polynomial).

Definition word_value (v : valuation) (w : word) : Z :=
  match w with Const c => c | Var x => v x | Mixed p => value v p end.

Definition word_polynomial (w : word) : polynomial :=
  match w with Const c => [(c, [])] | Var x => [(1, [x])] | Mixed p => p end.

Lemma value_word v w : value v (word_polynomial w) = word_value v w.
Proof. destruct w; cbn [word_polynomial value product word_value]; ring. Qed.

Record system := System {
  next : variable;
  highs : Map.t Z;
  rows : Map.t polynomial;
  next_row : positive;
  tops : list (variable * Z * variable);   (* a word, k, and its top k bits *)
  masks : list (variable * word)           (* a word that is all ones where the flag is 1, else 0 *)
}.

Definition empty_system : system :=
  System 1%positive (Map.empty Z) (Map.empty polynomial) 1%positive [] [].

Definition high (s : system) (x : variable) : option Z := Map.find x (highs s).
Definition row (s : system) (k : positive) : option polynomial := Map.find k (rows s).
Definition most (s : system) (p : polynomial) : option Z := upper (high s) (normal p).

Record holds (v : valuation) (s : system) : Prop := {
  in_range : within (high s) v;
  rows_zero : forall k r, row s k = Some r -> value v r = 0;
  tops_right : forall x k t, In (x, k, t) (tops s) -> v t = v x / 2 ^ (64 - k);
  masks_right : forall x f, In (x, f) (masks s) -> v x = word_value v f * (radix - 1)
}.

(** What is said of a system stays true whatever values later variables get. *)
Definition agree (n : variable) (v w : valuation) : Prop := forall x, (x < n)%positive -> v x = w x.
Definition always (s : system) (v : valuation) (P : valuation -> Prop) : Prop :=
  forall w, agree (next s) v w -> P w.
Definition good (s : system) (v : valuation) : Prop := always s v (fun w => holds w s).
Definition means (s : system) (v : valuation) (a : word) (A : Z) : Prop :=
  always s v (fun w => word_value w a = A).
Definition extends (s : system) (v : valuation) (s' : system) (v' : valuation) : Prop :=
  (next s <= next s')%positive /\ agree (next s) v v'.

Lemma extends_refl s v : extends s v s v.
Proof. split; [lia | intros x _; reflexivity]. Qed.

Lemma extends_trans s1 v1 s2 v2 s3 v3 :
  extends s1 v1 s2 v2 -> extends s2 v2 s3 v3 -> extends s1 v1 s3 v3.
Proof.
  intros [N1 A1] [N2 A2]. split; [lia|]. intros x X. rewrite (A1 x X). apply A2. lia.
Qed.

Lemma always_extends s v s' v' P : extends s v s' v' -> always s v P -> always s' v' P.
Proof. intros [N A] H w W. apply H. intros x X. rewrite (A x X). apply W. lia. Qed.

Lemma means_extends s v s' v' a A : extends s v s' v' -> means s v a A -> means s' v' a A.
Proof. apply always_extends. Qed.

Lemma always_now s v (P : valuation -> Prop) : always s v P -> P v.
Proof. intros H. apply H. intros x _. reflexivity. Qed.

Lemma means_const s v c : means s v (Const c) c.
Proof. intros w _. reflexivity. Qed.

Lemma most_value s v p u A : good s v -> always s v (fun w => value w p = A) ->
  most s p = Some u -> A <= u.
Proof.
  intros G P M. apply always_now in G, P. rewrite <- P, <- value_normal.
  eapply upper_value; [apply in_range, G | exact M].
Qed.

(** ** New variables and rows *)

Definition fresh (h : Z) (s : system) : word * system :=
  (Var (next s),
   System (Pos.succ (next s)) (Map.add (next s) h (highs s)) (rows s) (next_row s)
          (tops s) (masks s)).

Definition add_row (r : polynomial) (s : system) : system :=
  System (next s) (highs s) (Map.add (next_row s) r (rows s)) (Pos.succ (next_row s))
         (tops s) (masks s).

Definition update (v : valuation) (x : variable) (c : Z) : valuation :=
  fun y => if Pos.eqb y x then c else v y.

Lemma fresh_right h s v A w s' : fresh h s = (w, s') -> good s v -> 0 <= A <= h ->
  exists v', extends s v s' v' /\ good s' v' /\ means s' v' w A.
Proof.
  intros [= <- <-] G B. exists (update v (next s) A).
  assert (agree (next s) v (update v (next s) A)) as U.
  { intros x X. unfold update. destruct (Pos.eqb_spec x (next s)); [lia | reflexivity]. }
  split; [split; [cbn; lia | exact U]|].
  assert (forall u, agree (Pos.succ (next s)) (update v (next s) A) u ->
    agree (next s) v u /\ u (next s) = A) as N.
  { intros u W. split.
    - intros x X. rewrite (U x X). apply W. lia.
    - rewrite <- W by lia. unfold update. now rewrite Pos.eqb_refl. }
  split.
  - intros u W. apply N in W as [W1 W2]. destruct (G u W1) as [R Z T M]. constructor; auto.
    intros x h' H. unfold high in H; cbn in H.
    destruct (Pos.eq_dec x (next s)) as [->|D].
    + rewrite Map.gss in H. injection H as <-. rewrite W2. exact B.
    + rewrite Map.gso in H by congruence. apply R, H.
  - intros u W. apply N in W as [_ W2]. exact W2.
Qed.

Lemma add_row_right r s v : good s v -> always s v (fun w => value w r = 0) ->
  good (add_row r s) v.
Proof.
  intros G Z u W. destruct (G u W) as [R Z0 T M]. constructor; auto.
  intros k r' H. unfold row in H; cbn in H.
  destruct (Pos.eq_dec k (next_row s)) as [->|D].
  - rewrite Map.gss in H. injection H as <-. apply Z, W.
  - rewrite Map.gso in H by congruence. eapply Z0, H.
Qed.

(** ** Definitions: a new word, with the carry that it leaves or without one *)

(** word + sign * 2^64 * carry = right, with a sign of 1 or -1. *)
Definition define (right : polynomial) (sign : Z) (s : system) : option (word * word * system) :=
  match most s (scale sign right) with
  | None => None
  | Some m =>
      let h := if 0 <? sign then Z.min m (radix - 1) else radix - 1 in
      let hc := if 0 <? sign then m / radix else (m + radix - 1) / radix in
      let (w, s1) := fresh h s in
      let (c, s2) := fresh hc s1 in
      let left := word_polynomial w ++ scale (sign * radix) (word_polynomial c) in
      Some (w, c, add_row (minus left right) s2)
  end.

Lemma define_right right sign s v T w c s' :
  define right sign s = Some (w, c, s') -> good s v -> always s v (fun u => value u right = T) ->
  (sign = 1 /\ 0 <= T \/ sign = -1 /\ T < radix) ->
  exists v', extends s v s' v' /\ good s' v' /\
    means s' v' w (T mod radix) /\ means s' v' c (sign * (T / radix)).
Proof.
  intros D G P C. unfold define in D.
  destruct (most s (scale sign right)) as [m|] eqn:M; [|discriminate].
  destruct (fresh _ s) as [w0 s1] eqn:F1. destruct (fresh _ s1) as [c0 s2] eqn:F2.
  injection D as -> -> <-.
  assert (sign * T <= m) as B.
  { eapply most_value; [exact G| |exact M]. intros u U. rewrite value_scale, P by exact U. ring. }
  pose proof (Z.mod_pos_bound T radix eq_refl) as TB.
  pose proof (Z.div_mod T radix ltac:(discriminate)) as TD.
  destruct (fresh_right _ _ v (T mod radix) _ _ F1 G) as (v1 & E1 & G1 & W1).
  { destruct C as [[-> T0]|[-> T0]]; cbn [Z.ltb Z.compare]; [|lia].
    pose proof (Z.mod_le T radix T0 eq_refl). lia. }
  destruct (fresh_right _ _ v1 (sign * (T / radix)) _ _ F2 G1) as (v2 & E2 & G2 & W2).
  { destruct C as [[-> T0]|[-> T0]]; cbn [Z.ltb Z.compare].
    - pose proof (Z.div_pos T radix T0 eq_refl). split; [lia|].
      rewrite Z.mul_1_l in *. apply Z.div_le_mono; [reflexivity | lia].
    - assert (T / radix < 1) by (apply Z.div_lt_upper_bound; lia). split; [lia|].
      apply Z.div_le_lower_bound; [reflexivity|]. lia. }
  pose proof (means_extends _ _ _ _ _ _ E2 W1) as W1'.
  exists v2. split; [|split; [|split]].
  - destruct (extends_trans _ _ _ _ _ _ E1 E2). split; assumption.
  - apply add_row_right; [exact G2|]. intros u U.
    assert (value u right = T) as PT.
    { apply (always_extends _ _ _ _ _ (extends_trans _ _ _ _ _ _ E1 E2) P), U. }
    rewrite value_minus, value_app, value_scale, !value_word, (W1' u U), (W2 u U), PT.
    destruct C as [[-> _]|[-> _]]; lia.
  - exact W1'.
  - exact W2.
Qed.

(** A word that is known to be one. *)
Definition define_word (right : polynomial) (s : system) : option (word * system) :=
  match most s right with
  | None => None
  | Some m =>
      let (w, s') := fresh (Z.min m (radix - 1)) s in
      Some (w, add_row (minus (word_polynomial w) right) s')
  end.

Lemma define_word_right right s v T w s' :
  define_word right s = Some (w, s') -> good s v -> always s v (fun u => value u right = T) ->
  is_word T -> exists v', extends s v s' v' /\ good s' v' /\ means s' v' w T.
Proof.
  unfold is_word. intros D G P C. unfold define_word in D.
  destruct (most s right) as [m|] eqn:M; [|discriminate].
  destruct (fresh _ s) as [w0 s1] eqn:F1. injection D as -> <-.
  pose proof (most_value _ _ _ _ _ G P M) as B.
  destruct (fresh_right _ _ v T _ _ F1 G ltac:(lia)) as (v1 & E1 & G1 & W1).
  exists v1. split; [exact E1|]. split; [|exact W1].
  apply add_row_right; [exact G1|]. intros u U.
  rewrite value_minus, value_word, (W1 u U), (always_extends _ _ _ _ _ E1 P u U). lia.
Qed.
