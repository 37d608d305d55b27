(** Polynomials in a few variables that are 0 or 1. What code computes of carries stays one. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Polynomial System.
Import ListNotations.
Open Scope Z_scope.

(** A normal form without zeros. *)
Definition tidy (p : polynomial) : polynomial :=
  filter (fun t => negb (fst t =? 0)) (normal p).

Lemma value_nonzero v p : value v (filter (fun t => negb (fst t =? 0)) p) = value v p.
Proof.
  induction p as [|[c m] p IH]; cbn [filter fst]; [reflexivity|].
  destruct (Z.eqb_spec c 0) as [->|]; cbn [negb value]; rewrite IH; ring.
Qed.

Lemma value_tidy v p : value v (tidy p) = value v p.
Proof. unfold tidy. now rewrite value_nonzero, value_normal. Qed.

Definition variables_of (ps : list polynomial) : list variable :=
  nodup Pos.eq_dec (flat_map snd (concat ps)).

Lemma product_ext u k m : (forall x, In x m -> k x = u x) -> product k m = product u m.
Proof.
  induction m as [|x m IH]; cbn [product]; intros E; [reflexivity|].
  rewrite (E x), IH by (auto using in_cons, in_eq). reflexivity.
Qed.

Lemma value_ext u k p : (forall x, In x (flat_map snd p) -> k x = u x) -> value k p = value u p.
Proof.
  induction p as [|[c m] p IH]; cbn [flat_map value snd]; intros E; [reflexivity|].
  rewrite (product_ext u k m), IH; [reflexivity | |]; intros x I; apply E, in_or_app; auto.
Qed.

Lemma values_ext u k ps : (forall x, In x (variables_of ps) -> k x = u x) ->
  map (value k) ps = map (value u) ps.
Proof.
  unfold variables_of. intros E. apply map_ext_in. intros p I. apply value_ext. intros x X.
  apply E, nodup_In. apply in_flat_map in X as (t & T & X). apply in_flat_map.
  exists t. split; [|exact X]. apply in_concat. eauto.
Qed.

(** ** Tables of all values *)

Fixpoint interpolated (xs : list variable) (k : valuation) (f : valuation -> Z) : polynomial :=
  match xs with
  | [] => constant (f k)
  | x :: xs' =>
      let clear := interpolated xs' (update k x 0) f in
      let set := interpolated xs' (update k x 1) f in
      clear ++ times_term 1 [x] (minus set clear)
  end.

Fixpoint collected (xs : list variable) (k : valuation) (f : valuation -> Z) : list Z :=
  match xs with
  | [] => [f k]
  | x :: xs' => collected xs' (update k x 0) f ++ collected xs' (update k x 1) f
  end.

(** The polynomial that has a function's values on those of polynomials in bits. *)
Definition tabulate (ps : list polynomial) (f : list Z -> Z) : polynomial :=
  tidy (interpolated (variables_of ps) (fun _ => 0) (fun k => f (map (value k) ps))).

Definition values_of (p : polynomial) : list Z :=
  collected (variables_of [p]) (fun _ => 0) (fun k => value k p).

Definition most_bits : nat := 6.

Definition is_bit (s : system) (x : variable) : bool :=
  Pos.ltb x (next s) && match high s x with Some h => h <=? 1 | None => false end.

Definition are_bits (s : system) (ps : list polynomial) : bool :=
  let xs := variables_of ps in
  Nat.leb (length xs) most_bits && forallb (is_bit s) xs.

Section Tables.
  Variable u : valuation.
  Notation zero_or_one xs := (forall x, In x xs -> u x = 0 \/ u x = 1).

  (** The row of a table that belongs to a valuation. *)
  Definition belongs (xs : list variable) (k k' : valuation) : Prop :=
    (forall x, In x xs -> k' x = u x) /\ (forall x, ~ In x xs -> k' x = k x).

  Lemma belongs_cons x xs k k' : belongs xs (update k x (u x)) k' -> belongs (x :: xs) k k'.
  Proof.
    intros [B N]. split.
    - intros y [<-|I]; [|now apply B]. destruct (in_dec Pos.eq_dec x xs) as [I|I]; [now apply B|].
      rewrite N by exact I. unfold update. now rewrite Pos.eqb_refl.
    - intros y I. cbn [In] in I. rewrite N by tauto. unfold update.
      destruct (Pos.eqb_spec y x); [subst; tauto | reflexivity].
  Qed.

  Lemma interpolated_right f xs : zero_or_one xs -> forall k, exists k', belongs xs k k' /\
    value u (interpolated xs k f) = f k'.
  Proof.
    induction xs as [|x xs IH]; intros Z k; cbn [interpolated].
    - exists k. split; [split; [intros y [] | auto] | cbn; ring].
    - assert (zero_or_one xs) as Z' by (intros y I; apply Z; now right).
      destruct (IH Z' (update k x (u x))) as (k' & B & V). exists k'.
      split; [now apply belongs_cons|]. rewrite value_app, value_times_term, value_minus.
      cbn [product]. destruct (Z x (or_introl eq_refl)) as [E|E]; rewrite E in *;
        rewrite <- V; ring.
  Qed.

  Lemma collected_right f xs : zero_or_one xs -> forall k, exists k', belongs xs k k' /\
    In (f k') (collected xs k f).
  Proof.
    induction xs as [|x xs IH]; intros Z k; cbn [collected].
    - exists k. split; [split; [intros y [] | auto] | now left].
    - assert (zero_or_one xs) as Z' by (intros y I; apply Z; now right).
      destruct (IH Z' (update k x (u x))) as (k' & B & V). exists k'.
      split; [now apply belongs_cons|]. apply in_or_app.
      destruct (Z x (or_introl eq_refl)) as [E|E]; rewrite E in V; auto.
  Qed.

  Variable s : system.
  Hypothesis H : holds u s.

  Lemma is_bit_right x : is_bit s x = true -> u x = 0 \/ u x = 1.
  Proof.
    unfold is_bit. intros B. apply andb_prop in B as [_ B].
    destruct (high s x) as [h|] eqn:E; [|discriminate]. apply Z.leb_le in B.
    pose proof (in_range _ _ H x h E). lia.
  Qed.

  Lemma are_bits_right ps : are_bits s ps = true -> zero_or_one (variables_of ps).
  Proof.
    unfold are_bits. intros B x I. apply andb_prop in B as [_ B].
    rewrite forallb_forall in B. now apply is_bit_right, B.
  Qed.

  Lemma tabulate_right ps f : are_bits s ps = true ->
    value u (tabulate ps f) = f (map (value u) ps).
  Proof.
    intros B. unfold tabulate. rewrite value_tidy.
    destruct (interpolated_right (fun k => f (map (value k) ps)) _ (are_bits_right _ B)
      (fun _ => 0)) as (k & [K _] & ->).
    f_equal. now apply values_ext.
  Qed.

  Lemma values_of_right p : are_bits s [p] = true -> In (value u p) (values_of p).
  Proof.
    intros B. unfold values_of.
    destruct (collected_right (fun k => value k p) _ (are_bits_right _ B) (fun _ => 0))
      as (k & [K _] & I).
    pose proof (values_ext u k [p] K) as E. cbn [map] in E. injection E as E. now rewrite <- E.
  Qed.
End Tables.

Definition most_of (l : list Z) : Z := fold_right Z.max 0 l.

Lemma most_of_right l x : In x l -> x <= most_of l.
Proof.
  induction l as [|y l IH]; intros []; cbn [most_of fold_right]; [lia|].
  specialize (IH H). unfold most_of in IH. lia.
Qed.

(** The largest value that a word may have. *)
Definition largest_of (s : system) (p : polynomial) : option Z :=
  if are_bits s [p] then Some (most_of (values_of p)) else most s p.

Lemma largest_of_right u s p h : holds u s -> largest_of s p = Some h -> value u p <= h.
Proof.
  unfold largest_of. intros H L. destruct (are_bits s [p]) eqn:B.
  - injection L as <-. apply most_of_right. now apply (values_of_right u s).
  - unfold most in L. rewrite <- value_normal. eapply upper_value;
      [apply (in_range _ _ H) | exact L].
Qed.
