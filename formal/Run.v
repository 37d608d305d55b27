(** Runs of the processor, and the checker's symbolic run, from bytes to the return. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Polynomial System Arithmetic Bits Machine Contract Memory Symbolic
  Simulation Sums Calls Steps Decode.
Import ListNotations.
Open Scope Z_scope.

(** The processor reads an instruction where [rip] is, moves [rip] behind it, and executes it. *)
Definition longest : nat := 15.

Definition advance (s : state) : option state :=
  match decode (bytes_at (memory s) (rip s) longest) with
  | None => None
  | Some (i, unread) =>
      let n := Z.of_nat (longest - length unread) in
      execute i (note (rip s) n (go (rip s + n) s))
  end.

Fixpoint run (n : nat) (s : state) : option state :=
  match n with
  | O => Some s
  | S n' => match advance s with Some s' => run n' s' | None => None end
  end.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.

  (** ** The symbolic run *)

  (** The instruction at [pc], and the machine behind it. *)
  Definition fetch (m : machine) : option (instruction * machine) :=
    let window := firstn longest (skipn (Z.to_nat (pc m)) code) in
    match decode window with
    | None => None
    | Some (i, unread) =>
        let n := Z.of_nat (length window - length unread) in
        _ <- guard (is_inside c code Code (pc m) n);
        Some (i, with_access Code (pc m) n (with_pc (pc m + n) m))
    end.

  (** To the return, which is read but not executed. Each call is followed; [callers] says where
      those that have not returned came from, the last one first. *)
  Fixpoint follow (fuel : nat) (callers : list Z) (m : machine) : option machine :=
    match fuel with
    | O => None
    | S fuel' =>
        '(i, m1) <- fetch m;
        match i, callers with
        | Ret, [] => Some m1
        | Ret, caller :: rest => m2 <- return_to c code caller m1; follow fuel' rest m2
        | Call _, _ => m2 <- step c code i m1; follow fuel' (pc m1 :: callers) m2
        | _, _ => m2 <- step c code i m1; follow fuel' callers m2
        end
    end.

  (** The content of a register on entry. *)
  Definition entry_content (r : register) : content :=
    if register_beq r (argument c 0) then Pointer Result 0
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

  Definition entered : machine :=
    let (s, l) := enter limbs_read empty_system in
    Symbolic (snd (signs l (inputs c) s)) entry_content l None None 0 [].

  Definition entered_signs : list (option word) :=
    let (s, l) := enter limbs_read empty_system in fst (signs l (inputs c) s).

  (** What the contract itself must be for all this to make sense. *)
  Definition plausible : bool :=
    Nat.ltb (operands c) (length (arguments (calling c))) &&
    forallb (fun e => let '(a, o, _) := e in is_inside c code a o 8 && (o mod 8 =? 0)) limbs_read.

  Definition is_restored (m : machine) (r : register) : bool :=
    match file m r with
    | Pointer (Entry q) 0 => register_beq q r && negb (register_beq r RSP)
    | _ => false
    end.

  (** Whether the return leaves what it should. *)
  Definition returns (m : machine) : bool :=
    match stack_offset m with Some 0 => true | _ => false end &&
    is_inside c code Stack 0 8 && forallb (is_restored m) (saved (calling c)).

  (** ** The proof *)

  Variable start : state.
  Hypothesis R : ready c code start.
  Notation sim := (simulates c code start).

  Lemma bytes_at_app m n k : forall a,
    bytes_at m a (n + k) = bytes_at m a n ++ bytes_at m (a + Z.of_nat n) k.
  Proof.
    induction n as [|n IH]; intros a; cbn [Nat.add bytes_at app].
    - now rewrite Z.add_0_r.
    - rewrite IH. do 3 f_equal. lia.
  Qed.

  Lemma window_right m v s : sim v m s -> 0 <= pc m -> exists more,
    bytes_at (memory s) (rip s) longest
    = firstn longest (skipn (Z.to_nat (pc m)) code) ++ more.
  Proof.
    intros S P. set (k := Z.to_nat (pc m)).
    set (n := Nat.min longest (length code - k)).
    assert (firstn longest (skipn k code) = firstn n (skipn k code)) as ->.
    { unfold n. destruct (Nat.min_spec longest (length code - k)) as [[_ ->]|[L ->]];
        [reflexivity|].
      rewrite (firstn_all2 (n := longest)) by (rewrite skipn_length; exact L).
      rewrite firstn_all2; [reflexivity | rewrite skipn_length; lia]. }
    exists (bytes_at (memory s) (rip s + Z.of_nat n) (longest - n)).
    replace longest with (n + (longest - n))%nat at 1 by lia. rewrite bytes_at_app. f_equal.
    rewrite (rip_right _ _ _ _ _ _ S). replace (pc m) with (Z.of_nat k) by lia.
    destruct (Nat.eq_dec n 0) as [->|N]; [reflexivity|].
    apply bytes_at_list; [lia|]. intros i B.
    rewrite (code_kept _ _ _ R v m s) by (assumption || lia). apply (code_is _ _ _ R), B.
  Qed.

  Lemma fetch_right m v s i m1 : fetch m = Some (i, m1) -> sim v m s ->
    exists s1, advance s = execute i s1 /\ sim v m1 s1 /\ sys m1 = sys m /\
      registers s1 = registers s /\ memory s1 = memory s.
  Proof.
    unfold fetch. intros F S.
    destruct (decode _) as [[j unread]|] eqn:D; [|discriminate].
    destruct (is_inside _ _ _ _ _) eqn:E; [|discriminate]. cbn [guard bind] in F.
    injection F as -> <-. apply is_inside_right in E.
    destruct (window_right m v s S) as (more & W); [destruct E; assumption|].
    unfold advance. rewrite W, (stable_decode _ _ _ more D).
    assert (length (firstn longest (skipn (Z.to_nat (pc m)) code) ++ more) = longest) as L
      by (rewrite <- W; apply bytes_at_length).
    rewrite app_length in *.
    replace (longest - (length unread + length more))%nat
      with (length (firstn longest (skipn (Z.to_nat (pc m)) code)) - length unread)%nat by lia.
    set (n := Z.of_nat _) in *.
    eexists. split; [reflexivity|]. split; [|auto].
    rewrite (rip_right _ _ _ _ _ _ S). apply simulates_access; [|exact E].
    destruct S. constructor; auto. cbn [go with_pc rip pc]. lia.
  Qed.

  Lemma entry_content_right r : denotes c start empty_system (fun _ => 0) (entry_content r)
    (registers start r).
  Proof.
    pose proof (words_are _ _ _ R r) as W. unfold is_word in W. unfold entry_content.
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
        destruct (C _ F) as (_ & _ & D). destruct k as [y|]; [|discriminate AW].
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

  Lemma entered_right : plausible = true -> exists v, sim v entered start /\
    length entered_signs = length (inputs c) /\
    signs_mean (sys entered) v (inputs c) entered_signs.
  Proof.
    intros P. unfold entered, entered_signs.
    destruct (enter limbs_read empty_system) as [s l] eqn:E.
    destruct (enter_right _ _ _ _ _ E good_empty (limbs_read_right P)) as (v & EX & G & C).
    destruct (signs l (inputs c) s) as [ws s2] eqn:SG.
    destruct (signs_right _ _ _ _ _ _ SG G C) as (v2 & X2 & G2 & L & SM).
    exists v2. cbn [fst snd sys]. split; [|auto].
    constructor; cbn [sys file cells cf of pc seen]; auto.
    - intros r. eapply denotes_extends; [exact X2|].
      eapply denotes_extends; [exact EX | apply entry_content_right].
    - apply (words_are _ _ _ R).
    - intros [[a o] k] I. destruct (C _ I) as (H1 & H2 & H3).
      split; [exact H1|]. split; [exact H2|]. eapply denotes_extends; eauto.
    - apply (bytes_are _ _ _ R).
    - exact I.
    - exact I.
    - cbn [place]. lia.
    - intros a o n [].
  Qed.

End Kernel.

(** The state before the return: every run reaches it, after the same number of instructions. *)
Lemma follow_right c code fuel : forall callers m m', follow c code fuel callers m = Some m' ->
  exists n, forall start, ready c code start -> forall v s, simulates c code start v m s ->
  exists s' v' s'', run n s = Some s' /\ advance s' = execute Ret s'' /\
    simulates c code start v' m' s'' /\ extends (sys m) v (sys m') v'.
Proof.
  induction fuel as [|fuel IH]; cbn [follow]; intros callers m m' F; [discriminate|].
  unbind F. destruct p as [i m1].
  assert ((i = Ret /\ m1 = m') \/ exists m2 rest, follow c code fuel rest m2 = Some m' /\
    forall start, ready c code start -> forall v s, simulates c code start v m1 s ->
    stands_for c code start m1 m2 v (execute i s)) as [[-> ->]|(m2 & rest & FO & ST)].
  { destruct i; try (unbind F; right; do 2 eexists; split; [exact F|];
      intros start R v s S; now apply step_right).
    destruct callers as [|caller rest].
    - left. split; [reflexivity|]. now injection F.
    - unbind F. right. do 2 eexists. split; [exact F|].
      intros start R v s S. now apply return_right with (caller := caller). }
  - exists 0%nat. intros start R v s S.
    destruct (fetch_right _ _ _ R _ _ _ _ _ E S) as (s1 & N & S1 & Q & _).
    exists s, v, s1. rewrite Q. split; [reflexivity|]. split; [exact N|].
    split; [exact S1 | apply extends_refl].
  - destruct (IH _ _ _ FO) as (n & K). exists (Datatypes.S n). intros start R v s S.
    destruct (fetch_right _ _ _ R _ _ _ _ _ E S) as (s1 & N & S1 & Q & _).
    destruct (ST start R _ _ S1) as (s2 & v2 & EX & S2 & X2).
    destruct (K start R _ _ S2) as (s' & v' & s'' & RN & NX & S3 & X3).
    exists s', v', s''. cbn [run]. rewrite N, EX. split; [exact RN|]. split; [exact NX|].
    split; [exact S3|]. rewrite Q in X2. exact (extends_trans _ _ _ _ _ _ X2 X3).
Qed.
