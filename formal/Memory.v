(** Facts of memory: what is read is what was written, and the rest is as it was. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes.
Import ListNotations.
Open Scope Z_scope.

Fixpoint digits (w : Z) (n : nat) : list Z :=
  match n with O => [] | S n' => w mod 256 :: digits (w / 256) n' end.

Lemma number_digits n : forall w, 0 <= w < 256 ^ Z.of_nat n -> number (digits w n) = w.
Proof.
  induction n as [|n IH]; intros w W; cbn [digits number].
  - cbn in W. lia.
  - rewrite Nat2Z.inj_succ, Z.pow_succ_r in W by lia.
    rewrite IH.
    + pose proof (Z.div_mod w 256 ltac:(lia)). lia.
    + split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; lia].
Qed.

Lemma bytes_at_store m a w n : forall k, 0 <= k -> k + Z.of_nat n <= 8 ->
  bytes_at (store m a w) (a + k) n = digits (w / 256 ^ k) n.
Proof.
  induction n as [|n IH]; intros k K N; [reflexivity|].
  cbn [bytes_at digits]. f_equal.
  - unfold store.
    replace ((a <=? a + k) && (a + k <? a + 8)) with true
      by (symmetry; apply andb_true_intro; split; [apply Z.leb_le | apply Z.ltb_lt]; lia).
    now replace (a + k - a) with k by lia.
  - replace (a + k + 1) with (a + (k + 1)) by lia. rewrite IH by lia.
    rewrite Z.div_div by lia. f_equal. f_equal. rewrite Z.pow_add_r by lia. reflexivity.
Qed.

Lemma load_store m a w : is_word w -> load (store m a w) a = w.
Proof.
  unfold is_word. intros W. unfold load. replace a with (a + 0) at 2 by lia.
  rewrite bytes_at_store by lia. rewrite Z.pow_0_r, Z.div_1_r.
  apply number_digits. exact W.
Qed.

Lemma bytes_at_ext m m' n : forall a, (forall i, a <= i < a + Z.of_nat n -> m i = m' i) ->
  bytes_at m a n = bytes_at m' a n.
Proof.
  induction n as [|n IH]; intros a E; [reflexivity|].
  cbn [bytes_at]. f_equal; [apply E; lia | apply IH; intros i I; apply E; lia].
Qed.

Lemma load_ext m m' a : (forall i, a <= i < a + 8 -> m i = m' i) -> load m a = load m' a.
Proof. intros E. unfold load. f_equal. apply bytes_at_ext. exact E. Qed.

Lemma store_other m a w b : b < a \/ a + 8 <= b -> store m a w b = m b.
Proof.
  intros O. unfold store. destruct ((a <=? b) && (b <? a + 8)) eqn:E; [|reflexivity].
  apply andb_prop in E as [E1 E2]. apply Z.leb_le in E1. apply Z.ltb_lt in E2. lia.
Qed.

Lemma load_store_other m a w b : b + 8 <= a \/ a + 8 <= b -> load (store m a w) b = load m b.
Proof. intros O. apply load_ext. intros i I. apply store_other. lia. Qed.

Lemma store_byte m a w b : (forall i, 0 <= m i < 256) -> 0 <= store m a w b < 256.
Proof.
  intros B. unfold store. destruct (_ && _); [apply Z.mod_pos_bound; lia | apply B].
Qed.

Lemma bytes_at_length m n : forall a, length (bytes_at m a n) = n.
Proof. induction n as [|n IH]; intros a; cbn [bytes_at length]; [|rewrite IH]; reflexivity. Qed.

Lemma number_bound l : (forall b, In b l -> 0 <= b < 256) ->
  0 <= number l < 256 ^ Z.of_nat (length l).
Proof.
  induction l as [|b l IH]; intros B; [cbn; lia|].
  cbn [number length]. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia.
  pose proof (B b (or_introl eq_refl)). specialize (IH (fun x X => B x (or_intror X))). lia.
Qed.

Lemma bytes_at_in m n b : forall a, In b (bytes_at m a n) -> exists i, b = m i.
Proof.
  induction n as [|n IH]; intros a; cbn [bytes_at]; intros []; [|eauto].
  subst. now exists a.
Qed.

Lemma load_is_word m a : (forall i, 0 <= m i < 256) -> is_word (load m a).
Proof.
  intros B. unfold is_word, load.
  pose proof (number_bound (bytes_at m a 8)) as H. rewrite bytes_at_length in H. apply H.
  intros b I. apply bytes_at_in in I as [i ->]. apply B.
Qed.

(** The bytes at a place where a list of bytes lies. *)
Lemma bytes_at_list m l start n : forall k, (k + n <= length l)%nat ->
  (forall i, (i < length l)%nat -> m (start + Z.of_nat i) = nth i l 0) ->
  bytes_at m (start + Z.of_nat k) n = firstn n (skipn k l).
Proof.
  induction n as [|n IH]; intros k K L; [reflexivity|].
  cbn [bytes_at]. rewrite L by lia.
  replace (start + Z.of_nat k + 1) with (start + Z.of_nat (S k)) by lia.
  rewrite IH by (lia || assumption).
  assert (k < length l)%nat as Hk by lia. clear - Hk.
  revert l Hk. induction k as [|k IH]; intros [|x l] Hk; cbn [length] in Hk; try lia;
    [reflexivity|].
  cbn [skipn nth]. apply IH. lia.
Qed.
