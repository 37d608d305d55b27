(** What is known where a function is entered, and what must be where it returns. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Polynomial Options System Arithmetic Processor Contract
  Areas.
Import ListNotations.
Open Scope Z_scope.

Lemma radix_pos : 0 < radix.
Proof. reflexivity. Qed.

Module Make (P : Processor).
Include Areas.Make P.
Import P.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.

  (** The content of a register on entry. *)
  Definition entry_content (r : register) : content :=
    if register_beq r stack_pointer then Pointer Stack 0
    else if register_beq r (argument c 0) then Pointer Result 0
    else
      match List.find (fun k => register_beq r (argument c (S k))) (seq 0 (operands c)) with
      | Some k => Pointer (Operand k) 0
      | None => Pointer (Entry r) 0
      end.

  (** The operands' limbs: where each lies, and its largest value. *)
  Definition input_limb (i : input) (n : nat) : area * Z :=
    (Operand (pointer i), 8 * Z.of_nat (before i) + 8 * Z.of_nat n).

  Definition limb_high (i : input) (n : nat) : Z :=
    Z.min ((bound i - 1) / radix ^ Z.of_nat n) (radix - 1).

  Definition limbs_read : list (area * Z * Z) :=
    flat_map (fun i => map (fun n => (input_limb i n, limb_high i n)) (seq 0 (width i)))
             (inputs c).

  Fixpoint enter (l : list (area * Z * Z)) (s : system) : system * list (area * Z * content) :=
    match l with
    | [] => (s, [])
    | (a, o, h) :: l' =>
        let (w, s1) := fresh h s in
        let (s2, rest) := enter l' s1 in
        (s2, (a, o, Known w) :: rest)
    end.

  (** The sign of a signed value: the carry of its top limb and 2^63. *)
  Definition top_limb (i : input) : Z :=
    8 * Z.of_nat (before i) + 8 * Z.of_nat (width i - 1).

  Definition sign_of (l : list (area * Z * content)) (i : input) (s : system)
      : option (word * system) :=
    _ <- guard (is_signed i && Nat.ltb 0 (width i));
    k <- find (Operand (pointer i)) (top_limb i) l;
    w <- as_word k;
    '(_, carry, s1) <- sum w (Const (radix / 2)) (Const 0) 1 s;
    Some (carry, s1).

  Fixpoint signs (l : list (area * Z * content)) (is : list input) (s : system)
      : list (option word) * system :=
    match is with
    | [] => ([], s)
    | i :: rest =>
        match sign_of l i s with
        | Some (w, s1) => let (ws, s2) := signs l rest s1 in (Some w :: ws, s2)
        | None => let (ws, s2) := signs l rest s in (None :: ws, s2)
        end
    end.

  Definition entered_system : system :=
    let (s, l) := enter limbs_read empty_system in snd (signs l (inputs c) s).

  Definition entered_cells : list (area * Z * content) := snd (enter limbs_read empty_system).

  Definition entered_signs : list (option word) :=
    let (s, l) := enter limbs_read empty_system in fst (signs l (inputs c) s).

  (** What the contract itself must be for all this to make sense. *)
  Definition plausible : bool :=
    Nat.ltb (operands c) (length (arguments (calling c))) &&
    forallb (fun e => let '(a, o, _) := e in is_inside c code a o 8 && (o mod 8 =? 0)) limbs_read.

  Definition is_restored (k : content) (r : register) : bool :=
    match k with
    | Pointer (Entry q) 0 => register_beq q r && negb (register_beq r stack_pointer)
    | _ => false
    end.

  (** ** The proof *)

  Variable start : state.
  Hypothesis R : ready c code start.

  Lemma entry_content_right r : denotes c start empty_system (fun _ => 0) (entry_content r)
    (registers start r).
  Proof.
    pose proof (words_are _ _ _ R r) as W. unfold is_word in W. unfold entry_content.
    destruct (register_beq r stack_pointer) eqn:SP.
    { apply internal_register_dec_bl in SP as ->. cbn [denotes place].
      rewrite Z.add_0_r, Z.mod_small; [reflexivity | exact W]. }
    destruct (register_beq r (argument c 0)) eqn:E.
    - apply internal_register_dec_bl in E as ->. cbn [denotes place].
      rewrite Z.add_0_r, Z.mod_small; [reflexivity | exact W].
    - destruct (List.find _ _) as [k|] eqn:F.
      + apply find_some in F as [_ F]. apply internal_register_dec_bl in F as ->.
        cbn [denotes place]. rewrite Z.add_0_r, Z.mod_small; [reflexivity | exact W].
      + cbn [denotes place]. rewrite Z.add_0_r, Z.mod_small; [reflexivity | exact W].
  Qed.

  Definition input_right (e : area * Z * Z) : Prop :=
    let '(a, o, h) := e in
    inside c code a o 8 /\ o mod 8 = 0 /\ 0 <= load (memory start) (place c start a + o) <= h.

  Lemma enter_right l : forall s v s2 cells, enter l s = (s2, cells) -> good s v ->
    (forall e, In e l -> input_right e) ->
    exists v2, extends s v s2 v2 /\ good s2 v2 /\
      forall cell, In cell cells -> cell_right c code start s2 v2 (memory start) cell.
  Proof.
    induction l as [|[[a o] h] l IH]; cbn [enter]; intros s v s2 cells E G I.
    - injection E as <- <-. exists v. split; [apply extends_refl|]. split; [exact G | intros x []].
    - destruct (fresh h s) as [w s1] eqn:F. destruct (enter l s1) as [s3 rest] eqn:N.
      injection E as <- <-.
      destruct (I (a, o, h) (or_introl eq_refl)) as (I1 & I2 & I3).
      destruct (fresh_right _ _ _ _ _ _ F G I3) as (v1 & E1 & G1 & M1).
      destruct (IH _ _ _ _ N G1 (fun e X => I e (or_intror X))) as (v2 & E2 & G2 & C2).
      exists v2. split; [exact (extends_trans _ _ _ _ _ _ E1 E2)|]. split; [exact G2|].
      intros cell [<-|X]; [|now apply C2].
      split; [exact I1|]. split; [exact I2|]. exact (means_extends _ _ _ _ _ _ E2 M1).
  Qed.

  Lemma limbs_at_nonnegative m n : (forall i, 0 <= m i < 256) -> forall a, 0 <= limbs_at m a n.
  Proof.
    intros B. induction n as [|n IH]; intros a; cbn [limbs_at]; [lia|].
    pose proof (load_is_word m a B) as [L _]. specialize (IH (a + 8)).
    pose proof radix_pos. nia.
  Qed.

  Lemma limbs_at_limb m n : (forall i, 0 <= m i < 256) -> forall i a b, (i < n)%nat ->
    limbs_at m a n <= b -> load m (a + 8 * Z.of_nat i) <= b / radix ^ Z.of_nat i.
  Proof.
    intros B. induction n as [|n IH]; intros i a b I L; [lia|]. cbn [limbs_at] in L.
    pose proof (load_is_word m a B) as [L0 L1].
    pose proof (limbs_at_nonnegative m n B (a + 8)) as N. pose proof radix_pos as RP.
    destruct i as [|i].
    - cbn [Z.of_nat]. rewrite Z.mul_0_r, Z.add_0_r, Z.pow_0_r, Z.div_1_r. nia.
    - rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. rewrite <- Z.div_div by (lia || nia).
      replace (a + 8 * Z.succ (Z.of_nat i)) with (a + 8 + 8 * Z.of_nat i) by lia.
      apply IH; [lia|]. apply Z.div_le_lower_bound; lia.
  Qed.

  Lemma limbs_read_right : plausible = true -> forall e, In e limbs_read -> input_right e.
  Proof.
    intros P e I. unfold plausible in P. apply andb_prop in P as [_ P].
    rewrite forallb_forall in P. specialize (P e I). unfold limbs_read in I.
    apply in_flat_map in I as (i & Q & I). apply in_map_iff in I as (n & <- & J).
    apply in_seq in J. unfold input_limb in *. cbn [fst snd] in *.
    apply andb_prop in P as [P1 P2]. apply is_inside_right in P1. apply Z.eqb_eq in P2.
    split; [exact P1|]. split; [exact P2|].
    pose proof (load_is_word (memory start) (place c start (Operand (pointer i))
      + (8 * Z.of_nat (before i) + 8 * Z.of_nat n)) (bytes_are _ _ _ R)) as W.
    split; [apply W|]. unfold limb_high. apply Z.min_glb; [|unfold is_word in W; lia].
    rewrite Z.add_assoc. apply limbs_at_limb with (n := width i).
    - apply (bytes_are _ _ _ R).
    - lia.
    - pose proof (values_below _ _ _ R i Q) as V. unfold input_words in V. lia.
  Qed.

  Lemma good_empty : good empty_system (fun _ => 0).
  Proof.
    intros u _. constructor.
    - intros x h H. unfold high in H; cbn in H. rewrite Map.gempty in H. discriminate.
    - intros k r H. unfold row in H; cbn in H. rewrite Map.gempty in H. discriminate.
    - intros x k t [].
    - intros x f [].
  Qed.

  Definition sign_value (i : input) : Z :=
    (load (memory start) (place c start (Operand (pointer i)) + top_limb i) + radix / 2) / radix.

  Definition signs_mean (s : system) (v : valuation) (is : list input) (ws : list (option word)) :=
    forall q i w, nth_error is q = Some i -> nth_error ws q = Some (Some w) ->
    (0 < width i)%nat /\ means s v w (sign_value i).

  Lemma signs_right l is : forall s v ws s2, signs l is s = (ws, s2) -> good s v ->
    (forall cell, In cell l -> cell_right c code start s v (memory start) cell) ->
    exists v2, extends s v s2 v2 /\ good s2 v2 /\ length ws = length is /\
      signs_mean s2 v2 is ws.
  Proof.
    assert (forall s v s2 v2, extends s v s2 v2 ->
      (forall cell, In cell l -> cell_right c code start s v (memory start) cell) ->
      forall cell, In cell l -> cell_right c code start s2 v2 (memory start) cell) as Later.
    { intros s v s2 v2 X C [[a o] k] I. destruct (C _ I) as (H1 & H2 & H3).
      split; [exact H1|]. split; [exact H2|]. eapply denotes_extends; eauto. }
    induction is as [|i is IH]; cbn [signs]; intros s v ws s2 E G C.
    - injection E as <- <-. exists v. split; [apply extends_refl|]. split; [exact G|].
      split; [reflexivity|]. intros [|q] ? ?; discriminate.
    - destruct (sign_of l i s) as [[w s1]|] eqn:SG.
      + destruct (signs l is s1) as [us s3] eqn:N. injection E as <- <-.
        unfold sign_of in SG. destruct (_ && _) eqn:B in SG; [|discriminate SG].
        apply andb_prop in B as [_ B]. apply Nat.ltb_lt in B. cbn [guard bind] in SG.
        destruct (find _ _ _) as [k|] eqn:F; [|discriminate SG]. cbn [bind] in SG.
        destruct (as_word k) as [u|] eqn:AW; [|discriminate SG]. cbn [bind] in SG.
        destruct (sum _ _ _ _ _) as [[[low carry] s4]|] eqn:SM; [|discriminate SG].
        cbn [bind] in SG. injection SG as <- <-. apply find_in in F.
        destruct (C _ F) as (_ & _ & D). destruct k as [y|?|?|?]; [|discriminate AW..].
        injection AW as ->. cbn [denotes] in D.
        destruct (sum_right _ _ _ _ _ _ _ _ 0 _ _ _ SM G D (means_const _ _ _)
          (means_const _ _ _) (load_is_word _ _ (bytes_are _ _ _ R))
          ltac:(split; [apply Z.leb_le | apply Z.ltb_lt]; reflexivity) ltac:(lia) ltac:(auto))
          as (v1 & X & G1 & _ & MC).
        destruct (IH _ _ _ _ N G1 (Later _ _ _ _ X C)) as (v2 & X2 & G2 & L & SM2).
        exists v2. split; [exact (extends_trans _ _ _ _ _ _ X X2)|]. split; [exact G2|].
        split; [cbn [length]; congruence|]. intros [|q] j z; cbn [nth_error]; [|apply SM2].
        intros [= <-] [= <-]. split; [exact B|]. unfold sign_value.
        rewrite Z.mul_1_l, Z.add_0_r, Z.mul_1_l in MC. eapply means_extends; eauto.
      + destruct (signs l is s) as [us s3] eqn:N. injection E as <- <-.
        destruct (IH _ _ _ _ N G C) as (v2 & X2 & G2 & L & SM2). exists v2.
        split; [exact X2|]. split; [exact G2|]. split; [cbn [length]; congruence|].
        intros [|q] j z; cbn [nth_error]; [discriminate | apply SM2].
  Qed.

  Theorem entered_right : plausible = true -> exists v, good entered_system v /\
    (forall r, denotes c start entered_system v (entry_content r) (registers start r)) /\
    (forall cell, In cell entered_cells ->
      cell_right c code start entered_system v (memory start) cell) /\
    length entered_signs = length (inputs c) /\
    signs_mean entered_system v (inputs c) entered_signs.
  Proof.
    intros P. unfold entered_system, entered_cells, entered_signs.
    destruct (enter limbs_read empty_system) as [s l] eqn:E.
    destruct (enter_right _ _ _ _ _ E good_empty (limbs_read_right P)) as (v & EX & G & C).
    destruct (signs l (inputs c) s) as [ws s2] eqn:SG.
    destruct (signs_right _ _ _ _ _ _ SG G C) as (v2 & X2 & G2 & L & SM).
    exists v2. cbn [fst snd]. split; [exact G2|]. split; [|split; [|auto]].
    - intros r. eapply denotes_extends; [exact X2|].
      eapply denotes_extends; [exact EX | apply entry_content_right].
    - intros [[a o] k] I. destruct (C _ I) as (H1 & H2 & H3).
      split; [exact H1|]. split; [exact H2|]. eapply denotes_extends; eauto.
  Qed.

  Lemma restored_right s v k r A : is_restored k r = true -> denotes c start s v k A ->
    A = registers start r /\ register_beq r stack_pointer = false.
  Proof.
    unfold is_restored. destruct k as [u|[| | | |q] [| |]|?|l]; try discriminate. intros I D.
    apply andb_prop in I as [I N]. apply negb_true_iff in N. split; [|exact N].
    apply internal_register_dec_bl in I. subst q. cbn [denotes place] in D.
    pose proof (words_are _ _ _ R r) as W. unfold is_word in W.
    rewrite Z.add_0_r, Z.mod_small in D by exact W. exact D.
  Qed.
End Kernel.
End Make.
