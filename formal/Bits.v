(** Shifts and masks, each as rows of a system. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Polynomial System Arithmetic.
Import ListNotations.
Open Scope Z_scope.

(** ** Bits that move: the top k bits of a word are a variable, one for each word and k. *)

Fixpoint known_top (x : variable) (k : Z) (l : list (variable * Z * variable)) : option variable :=
  match l with
  | [] => None
  | (y, j, t) :: l' => if Pos.eqb x y && (k =? j) then Some t else known_top x k l'
  end.

Definition note_top (x : variable) (k : Z) (t : variable) (s : system) : system :=
  System (next s) (highs s) (rows s) (next_row s) ((x, k, t) :: tops s) (masks s).

(** word / 2^(64 - k), for 0 < k < 64. *)
Definition top (w : word) (k : Z) (s : system) : option (word * system) :=
  match w with
  | Const c => Some (Const (c / 2 ^ (64 - k)), s)
  | Mixed _ => None
  | Var x =>
      match high s x with
      | None => None
      | Some h =>
          if h <? 2 ^ (64 - k) then Some (Const 0, s)
          else
            match known_top x k (tops s) with
            | Some t => Some (Var t, s)
            | None =>
                let (_, s') := fresh (h / 2 ^ (64 - k)) s in
                Some (Var (next s), note_top x k (next s) s')
            end
      end
  end.

Lemma known_top_in x k l t : known_top x k l = Some t -> In (x, k, t) l.
Proof.
  induction l as [|[[y j] u] l IH]; cbn [known_top]; [discriminate|].
  destruct (Pos.eqb x y && (k =? j)) eqn:E.
  - apply andb_prop in E as [E1 E2]. apply Pos.eqb_eq in E1. apply Z.eqb_eq in E2.
    intros [= ->]. left. now subst.
  - intros H. right. auto.
Qed.

Lemma top_right w k s v A t s' : top w k s = Some (t, s') -> good s v -> means s v w A ->
  is_word A -> 0 < k < 64 ->
  exists v', extends s v s' v' /\ good s' v' /\ means s' v' t (A / 2 ^ (64 - k)).
Proof.
  unfold is_word. intros D G M W K.
  assert (0 < 2 ^ (64 - k)) as P by (apply Z.pow_pos_nonneg; lia).
  destruct w as [c|x|p]; cbn [top] in D; [| |discriminate D].
  - injection D as <- <-. exists v. split; [apply extends_refl|]. split; [exact G|].
    pose proof (always_now _ _ _ M) as F. cbn [word_value] in F. subst c. apply means_const.
  - destruct (high s x) as [h|] eqn:H; [|discriminate].
    pose proof (in_range _ _ (always_now _ _ _ G) x h H) as R.
    pose proof (always_now _ _ _ M) as V. cbn [word_value] in V. rewrite V in R.
    destruct (h <? 2 ^ (64 - k)) eqn:E.
    + injection D as <- <-. apply Z.ltb_lt in E. exists v.
      rewrite Z.div_small by lia. auto using extends_refl, means_const.
    + destruct (known_top x k (tops s)) as [u|] eqn:L.
      * injection D as <- <-. exists v. split; [apply extends_refl|]. split; [exact G|].
        intros u' U. cbn [word_value]. rewrite (tops_right _ _ (G u' U) x k u).
        -- now rewrite <- (M u' U).
        -- now apply known_top_in.
      * destruct (fresh _ s) as [w0 s1] eqn:F1. injection D as <- <-.
        pose proof F1 as F2. injection F2 as Fw Fs.
        destruct (fresh_right _ _ v (A / 2 ^ (64 - k)) _ _ F1 G) as (v1 & E1 & G1 & W1).
        { split; [apply Z.div_pos; lia | apply Z.div_le_mono; lia]. }
        exists v1. rewrite <- Fw in W1. split; [exact E1|]. split; [|exact W1].
        intros u U. destruct (G1 u U) as [R1 Z1 T1 K1]. constructor; auto.
        intros x' k' t' [[= <- <- <-]|I]; [|now apply T1].
        rewrite (W1 u U : u (next s) = _).
        now rewrite <- (means_extends _ _ _ _ _ _ E1 M u U).
Qed.

(** (high * 2^k + low / 2^(64 - k)) mod 2^64, for 0 < k < 64. *)
Definition shifted (hi lo : word) (k : Z) (s : system) : option (word * system) :=
  match top hi k s with
  | None => None
  | Some (out, s1) =>
      match top lo k s1 with
      | None => None
      | Some (into, s2) =>
          define_word (scale (2 ^ k) (word_polynomial hi)
                       ++ scale (- radix) (word_polynomial out) ++ word_polynomial into) s2
      end
  end.

Lemma shifted_value A B k : is_word A -> is_word B -> 0 < k < 64 ->
  2 ^ k * A - radix * (A / 2 ^ (64 - k)) + B / 2 ^ (64 - k)
  = (A * 2 ^ k) mod radix + B / 2 ^ (64 - k).
Proof.
  unfold is_word. intros WA WB K.
  assert (radix = 2 ^ (64 - k) * 2 ^ k) as R.
  { rewrite <- Z.pow_add_r by lia. unfold radix. f_equal. lia. }
  assert (0 < 2 ^ (64 - k)) by (apply Z.pow_pos_nonneg; lia).
  assert (0 < 2 ^ k) by (apply Z.pow_pos_nonneg; lia).
  rewrite R at 2. rewrite Z.mul_mod_distr_r by lia.
  rewrite (Z.mod_eq A (2 ^ (64 - k))) by lia. rewrite R. ring.
Qed.

Lemma shifted_is_word A B k : is_word A -> is_word B -> 0 < k < 64 ->
  is_word ((A * 2 ^ k) mod radix + B / 2 ^ (64 - k)).
Proof.
  unfold is_word. intros WA WB K.
  assert (radix = 2 ^ (64 - k) * 2 ^ k) as R.
  { rewrite <- Z.pow_add_r by lia. unfold radix. f_equal. lia. }
  assert (0 < 2 ^ (64 - k)) by (apply Z.pow_pos_nonneg; lia).
  assert (0 < 2 ^ k) by (apply Z.pow_pos_nonneg; lia).
  assert (0 <= B / 2 ^ (64 - k) < 2 ^ k).
  { split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; lia]. }
  rewrite R at 1 2. rewrite R. rewrite Z.mul_mod_distr_r by lia.
  pose proof (Z.mod_pos_bound A (2 ^ (64 - k)) ltac:(lia)). nia.
Qed.

Lemma shifted_right hi lo k s v A B w s' : shifted hi lo k s = Some (w, s') -> good s v ->
  means s v hi A -> means s v lo B -> is_word A -> is_word B -> 0 < k < 64 ->
  exists v', extends s v s' v' /\ good s' v' /\
    means s' v' w ((A * 2 ^ k) mod radix + B / 2 ^ (64 - k)).
Proof.
  intros D G MA MB WA WB K. unfold shifted in D.
  destruct (top hi k s) as [[out s1]|] eqn:T1; [|discriminate].
  destruct (top_right _ _ _ _ _ _ _ T1 G MA WA K) as (v1 & E1 & G1 & M1).
  destruct (top lo k s1) as [[into s2]|] eqn:T2; [|discriminate].
  destruct (top_right _ _ _ _ _ _ _ T2 G1 (means_extends _ _ _ _ _ _ E1 MB) WB K)
    as (v2 & E2 & G2 & M2).
  pose proof (extends_trans _ _ _ _ _ _ E1 E2) as E12.
  destruct (define_word_right _ _ v2 ((A * 2 ^ k) mod radix + B / 2 ^ (64 - k)) _ _ D G2)
    as (v3 & E3 & G3 & M3).
  - intros u U. cbv beta. rewrite !value_app, !value_scale, !value_word.
    rewrite (means_extends _ _ _ _ _ _ E12 MA u U), (means_extends _ _ _ _ _ _ E2 M1 u U), (M2 u U).
    rewrite <- shifted_value by assumption. ring.
  - now apply shifted_is_word.
  - exists v3. split; [|split]; [|exact G3|exact M3]. exact (extends_trans _ _ _ _ _ _ E12 E3).
Qed.

(** a + a of one register: its carry is its top bit. *)
Definition doubled (a : word) (s : system) : option (word * word * system) :=
  match shifted a (Const 0) 1 s with
  | None => None
  | Some (w, s1) =>
      match top a 1 s1 with
      | None => None
      | Some (c, s2) => Some (w, c, s2)
      end
  end.

Lemma doubled_right a s v A w c s' : doubled a s = Some (w, c, s') -> good s v ->
  means s v a A -> is_word A -> exists v', extends s v s' v' /\ good s' v' /\
    means s' v' w ((A + A) mod radix) /\ means s' v' c ((A + A) / radix).
Proof.
  intros D G M W. unfold doubled in D.
  destruct (shifted a (Const 0) 1 s) as [[w0 s1]|] eqn:S; [|discriminate].
  destruct (top a 1 s1) as [[c0 s2]|] eqn:T; [|discriminate]. injection D as -> -> <-.
  assert (is_word 0) as W0 by (unfold is_word; split; reflexivity || lia).
  destruct (shifted_right _ _ _ _ _ _ _ _ _ S G M (means_const _ _ _) W W0 ltac:(lia))
    as (v1 & E1 & G1 & M1).
  destruct (top_right _ _ _ _ _ _ _ T G1 (means_extends _ _ _ _ _ _ E1 M) W ltac:(lia))
    as (v2 & E2 & G2 & M2).
  exists v2. split; [exact (extends_trans _ _ _ _ _ _ E1 E2)|]. split; [exact G2|].
  replace (A + A) with (A * 2 ^ 1) by (cbn; lia). split.
  - pose proof (means_extends _ _ _ _ _ _ E2 M1) as M1'. rewrite Z.div_0_l, Z.add_0_r in M1' by lia.
    exact M1'.
  - unfold radix. change (2 ^ 64) with (2 ^ (64 - 1) * 2 ^ 1). rewrite Z.div_mul_cancel_r by lia.
    exact M2.
Qed.

(** ** Words that are all ones where a flag is set, and else 0 *)

Definition note_mask (w flag : word) (s : system) : system :=
  match w with
  | Const _ | Mixed _ => s
  | Var x => System (next s) (highs s) (rows s) (next_row s) (tops s) ((x, flag) :: masks s)
  end.

Definition mask (flag : word) (s : system) : option (word * system) :=
  match choose flag (Const (radix - 1)) (Const 0) s with
  | None => None
  | Some (w, s') => Some (w, note_mask w flag s')
  end.

Lemma mask_right flag s v (f : bool) w s' : mask flag s = Some (w, s') -> good s v ->
  means s v flag (Z.b2z f) -> exists v', extends s v s' v' /\ good s' v' /\
    means s' v' w (if f then radix - 1 else 0).
Proof.
  intros D G M. unfold mask in D.
  destruct (choose _ _ _ s) as [[w0 s1]|] eqn:C; [|discriminate]. injection D as -> <-.
  destruct (choose_right _ _ _ _ _ f _ _ _ _ C G M (means_const _ _ _) (means_const _ _ _))
    as (v1 & E1 & G1 & M1); [unfold is_word, radix; lia.. |].
  exists v1. destruct w as [c|x|p]; cbn [note_mask]; [auto| |auto].
  split; [exact E1|]. split; [|exact M1].
  intros u U. destruct (G1 u U) as [R Z T K]. constructor; auto.
  intros y g [[= <- <-]|I]; [|now apply K].
  rewrite (means_extends _ _ _ _ _ _ E1 M u U), (M1 u U : u x = _). destruct f; cbn [Z.b2z]; lia.
Qed.

Fixpoint known_mask (w : word) (l : list (variable * word)) : option word :=
  match l, w with
  | (y, f) :: l', Var x => if Pos.eqb x y then Some f else known_mask w l'
  | _, _ => None
  end.

(** The other word where one is a mask whose flag is set, else 0. *)
(** word mod 2^k, for 0 < k < 64. *)
Definition low_bits (w : word) (k : Z) (s : system) : option (word * system) :=
  match top w (64 - k) s with
  | None => None
  | Some (t, s1) =>
      let (l, s2) := fresh (2 ^ k - 1) s1 in
      Some (l, add_row (minus (word_polynomial l ++ scale (2 ^ k) (word_polynomial t))
                              (word_polynomial w)) s2)
  end.

(** The k of a constant 2^k - 1, for 0 < k < 64. *)
Definition ones (w : word) : option Z :=
  match w with
  | Var _ | Mixed _ => None
  | Const c =>
      let k := Z.log2 (c + 1) in
      if (0 <? k) && (k <? 64) && (c =? 2 ^ k - 1) then Some k else None
  end.

Definition masked (a b : word) (s : system) : option (word * system) :=
  match known_mask a (masks s), known_mask b (masks s) with
  | Some f, _ => choose f b (Const 0) s
  | None, Some f => choose f a (Const 0) s
  | None, None =>
      match ones a, ones b with
      | Some k, _ => low_bits b k s
      | None, Some k => low_bits a k s
      | None, None => None
      end
  end.

Lemma low_bits_right w k s v A l s' : low_bits w k s = Some (l, s') -> good s v ->
  means s v w A -> is_word A -> 0 < k < 64 ->
  exists v', extends s v s' v' /\ good s' v' /\ means s' v' l (A mod 2 ^ k).
Proof.
  intros D G M W K. unfold low_bits in D.
  destruct (top w (64 - k) s) as [[t s1]|] eqn:T; [|discriminate].
  destruct (top_right _ _ _ _ _ _ _ T G M W ltac:(lia)) as (v1 & E1 & G1 & M1).
  replace (64 - (64 - k)) with k in M1 by lia.
  destruct (fresh _ s1) as [l0 s2] eqn:F. injection D as -> <-.
  assert (0 < 2 ^ k) as P by (apply Z.pow_pos_nonneg; lia).
  pose proof (Z.mod_pos_bound A (2 ^ k) P) as B.
  destruct (fresh_right _ _ v1 (A mod 2 ^ k) _ _ F G1 ltac:(lia)) as (v2 & E2 & G2 & M2).
  pose proof (extends_trans _ _ _ _ _ _ E1 E2) as E12.
  exists v2. split; [exact E12|]. split; [|exact M2].
  apply add_row_right; [exact G2|]. intros u U.
  rewrite value_minus, value_app, value_scale, !value_word, (M2 u U),
    (means_extends _ _ _ _ _ _ E2 M1 u U), (means_extends _ _ _ _ _ _ E12 M u U).
  pose proof (Z.div_mod A (2 ^ k) ltac:(lia)). lia.
Qed.

Lemma ones_right w k s v A : ones w = Some k -> means s v w A -> A = Z.ones k /\ 0 < k < 64.
Proof.
  destruct w as [c|x|p]; cbn [ones]; [|discriminate..].
  destruct (_ && (c =? _)) eqn:E; [|discriminate]. intros [= <-] M.
  apply andb_prop in E as [E E3]. apply andb_prop in E as [E1 E2].
  apply Z.ltb_lt in E1, E2. apply Z.eqb_eq in E3. apply always_now in M. cbn [word_value] in M.
  rewrite Z.ones_equiv. lia.
Qed.

Lemma known_mask_in w l f : known_mask w l = Some f -> exists x, w = Var x /\ In (x, f) l.
Proof.
  induction l as [|[y g] l IH]; destruct w as [c|x|p]; cbn [known_mask]; try discriminate.
  destruct (Pos.eqb_spec x y) as [->|_].
  - intros [= ->]. exists y. split; [reflexivity | now left].
  - intros H. destruct (IH H) as (z & -> & I). exists z. split; [reflexivity | now right].
Qed.

Lemma mask_and a b f s v A B w s' : known_mask a (masks s) = Some f ->
  choose f b (Const 0) s = Some (w, s') -> good s v ->
  means s v a A -> means s v b B -> is_word A -> is_word B ->
  exists v', extends s v s' v' /\ good s' v' /\ means s' v' w (Z.land A B).
Proof.
  intros K C G MA MB WA WB. apply known_mask_in in K as (x & -> & I).
  assert (always s v (fun u => A = word_value u f * (radix - 1))) as F.
  { intros u U. cbv beta. rewrite <- (masks_right _ _ (G u U) x f I). symmetry. exact (MA u U). }
  pose proof (always_now _ _ _ F) as F0. cbv beta in F0.
  assert (exists g, A = Z.b2z g * (radix - 1)) as (g & Ag).
  { unfold is_word in WA. set (c := word_value v f) in *.
    assert (radix = 18446744073709551616) as R by reflexivity.
    assert (c = 0 \/ c = 1) as [E|E] by lia;
      [exists false | exists true]; rewrite F0, E; reflexivity. }
  assert (means s v f (Z.b2z g)) as MF.
  { intros u U. specialize (F u U). cbv beta in F.
    assert (radix = 18446744073709551616) as R by reflexivity. lia. }
  destruct (choose_right _ _ _ _ _ g _ _ _ _ C G MF MB (means_const _ _ 0)) as (v1 & E1 & G1 & M1).
  { exact WB. } { unfold is_word, radix. lia. }
  exists v1. split; [exact E1|]. split; [exact G1|].
  replace (Z.land A B) with (if g then B else 0); [exact M1|].
  rewrite Ag. unfold is_word, radix in WB. destruct g; cbn [Z.b2z].
  - rewrite Z.mul_1_l, Z.land_comm. change (radix - 1) with (Z.ones 64).
    rewrite Z.land_ones by lia. symmetry. now apply Z.mod_small.
  - now rewrite Z.mul_0_l, Z.land_0_l.
Qed.

Lemma masked_right a b s v A B w s' : masked a b s = Some (w, s') -> good s v ->
  means s v a A -> means s v b B -> is_word A -> is_word B ->
  exists v', extends s v s' v' /\ good s' v' /\ means s' v' w (Z.land A B).
Proof.
  intros D G MA MB WA WB. unfold masked in D.
  destruct (known_mask a (masks s)) as [f|] eqn:K.
  - eapply mask_and; eauto.
  - destruct (known_mask b (masks s)) as [f|] eqn:L.
    { rewrite Z.land_comm. eapply mask_and; eauto. }
    destruct (ones a) as [k|] eqn:OA; [|destruct (ones b) as [k|] eqn:OB; [|discriminate]].
    + destruct (ones_right _ _ _ _ _ OA MA) as [-> KB].
      rewrite Z.land_comm, Z.land_ones by lia. eapply low_bits_right; eauto.
    + destruct (ones_right _ _ _ _ _ OB MB) as [-> KB].
      rewrite Z.land_ones by lia. eapply low_bits_right; eauto.
Qed.
