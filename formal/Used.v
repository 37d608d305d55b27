(** Behind a routine's call the symbolic machine stands for the processor's state. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options Polynomial System Expression Processor Contract
  Areas Entry Verdict Formula Forms Followed Runs Routine Ready.
Import ListNotations.
Open Scope Z_scope.

Module Make (F : Followed).
Import F F.P F.K.
Include Ready.Make F.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.
  Variable al : algebra.
  Notation routine_code := (routine_code code).

  Section Called.
    Variables (start : state) (r : routine_known) (m : machine) (top : Z).
    Variables (v : valuation) (s : state).
    Notation sim := (simulates c code start).
    Hypothesis R : ready c code start.
    Hypothesis S : sim v m s.
    Hypothesis T : stack_offset m = Some top.
    Hypothesis P : pc m = lies r.
    Notation c' := (says r).
    Notation code' := (routine_code r).
    Hypothesis F : forallb (fitting c code r m top) (areas r) = true.
    Hypothesis HM : home (calling c') = 0.
    Variables (b : area) (o : Z).
    Hypothesis RT : target r m top Result = Some (b, o).
    Hypothesis G : may_give r b o = true.
    Hypothesis TB : top + link_size <= 0.
    Hypothesis NE : fst (room c code Stack) < snd (room c code Stack).
    Notation fitting_right := (fitting_right c code start R r m top v s S T P TB NE).
    Notation area_fitting := (area_fitting c code r m top F).
    Notation within_target := (within_target c code start r m top s).
    Notation result_area := (result_area c code start R r m top v s S T P TB NE F b o RT G).

    (** What the routine may write is the caller's to write. *)
    Lemma written_right y : writable c' code' s y ->
      within_area c code start b y /\ o <= y - place c start b < o + 8 * Z.of_nat (count r) \/
      within_area c code start Stack y /\ y - place c start Stack < top.
    Proof.
      intros [W|[W N]].
      - destruct (fitting_right Result (area_fitting Result ltac:(left; reflexivity)))
          as (b1 & o1 & TG & PL & L & H & _).
        destruct (within_target _ _ _ _ TG PL L H W) as [W1 W2].
        assert (b1 = b /\ o1 = o) as [-> ->] by (split; congruence).
        left. split; [exact W1|]. cbn [room fst snd] in W2. unfold count. lia.
      - destruct (fitting_right Stack (area_fitting Stack ltac:(right; left; reflexivity)))
          as (b1 & o1 & TG & PL & L & H & _).
        destruct (within_target _ _ _ _ TG PL L H W) as [W1 W2].
        cbn [target] in TG. injection TG as <- <-.
        right. split; [exact W1|]. cbn [room fst snd] in W2. rewrite HM in W2.
        rewrite PL in N. lia.
    Qed.

    Variables (last : state) (caller : Z).
    Hypothesis D : done c' code' (touches r) s last.
    Hypothesis PR : proper last.
    Hypothesis BK : caller_of m top = Some caller.
    Hypothesis IC : inside c code Code caller 1.

    Lemma kept_right cell v' s' : extends (sys m) v s' v' -> In cell (cells m) ->
      kept r top b o cell = true -> cell_right c code start s' v' (memory last) cell.
    Proof.
      intros X I K. destruct cell as [[a q] k].
      destruct (cells_right _ _ _ _ _ _ S _ I) as (J & M & DN).
      split; [exact J|]. split; [exact M|]. unfold kept in K. apply andb_prop in K as [K1 K2].
      destruct result_area as (BR & OM & _).
      rewrite (load_ext (memory last) (memory s)).
      { eapply denotes_extends; [exact X | exact DN]. }
      intros y Y. apply (nothing_else _ _ _ _ _ D). intros W.
      destruct (written_right y W) as [[W1 W2]|[W1 W2]].
      - set (j := Z.to_nat ((y - place c start b - o) / 8)).
        pose proof (Z.div_mod (y - place c start b - o) 8 ltac:(lia)) as DM.
        pose proof (Z.mod_pos_bound (y - place c start b - o) 8 ltac:(lia)) as MB.
        assert (0 <= (y - place c start b - o) / 8) as NN by (apply Z.div_pos; lia).
        rewrite forallb_forall in K2. specialize (K2 j).
        assert (survives b (o + 8 * Z.of_nat j) (a, q, k) = true) as SV
          by (apply K2, in_seq; unfold j; lia).
        destruct (fitting_right Result (area_fitting Result ltac:(left; reflexivity)))
          as (b1 & o1 & TG & PL & L & H & _).
        assert (b1 = b /\ o1 = o) as [-> ->] by (split; congruence).
        cbn [room fst snd] in L, H. unfold count in W2.
        destruct (survives_right _ _ _ R _ _ _ _ _ SV) as [E|E]; unfold j in *;
          [tauto | | exact J | | exact M | lia | lia].
        + split; lia.
        + rewrite Z.mul_comm, Z.mod_add by lia. exact OM.
      - destruct (area_eq_dec a Stack) as [->|N].
        + assert (top + link_size <= q) by (apply Z.leb_le; exact K1).
          pose proof link_size_right. lia.
        + apply (stack_apart _ _ _ R a N y); [|exact W1].
          replace y with (place c start a + q + (y - place c start a - q)) by lia.
          apply within_inside with (n := 8); [exact J | lia].
    Qed.

    Lemma relocated_right e e' : relocated r m top e = Some e' ->
      access_at c' s e = access_at c start e' /\
      forall a p n a' p' n', e = (a, p, n) -> e' = (a', p', n') ->
      inside c' code' a p n -> inside c code a' p' n'.
    Proof.
      unfold relocated. destruct e as [[a p] n]. intros RL.
      destruct (existsb (is_area a) (areas r)) eqn:E; [|discriminate]. cbn [guard bind] in RL.
      apply existsb_exists in E as (a' & I & E). apply is_area_eq in E as <-.
      destruct (fitting_right a (area_fitting a I)) as (b1 & o1 & TG & PL & L & H & _).
      rewrite TG in RL. injection RL as <-. split.
      - cbn [access_at]. rewrite PL. f_equal. lia.
      - intros ? ? ? ? ? ? [= <- <- <-] [= <- <- <-]. unfold inside. lia.
    Qed.

    Lemma relocated_all l : forall l', traverse (relocated r m top) l = Some l' ->
      map (access_at c' s) l = map (access_at c start) l' /\
      ((forall a p n, In (a, p, n) l -> inside c' code' a p n) ->
       forall a p n, In (a, p, n) l' -> inside c code a p n).
    Proof.
      induction l as [|e l IH]; cbn [traverse]; intros l' E.
      - injection E as <-. split; [reflexivity | intros _ a p n []].
      - unbind E. rename p into e'. unbind E. injection E as <-.
        destruct (IH _ eq_refl) as [M I]. destruct (relocated_right _ _ E0) as [A B]. split.
        + cbn [map]. now rewrite A, M.
        + intros J a p n [->|K].
          * destruct e as [[a1 p1] n1]. eapply B; eauto. apply J. now left.
          * eapply I; eauto. intros ? ? ? ?. apply J. now right.
    Qed.

    Definition contents : list Z := map (registers last) all_registers ++
      map (fun j => load (memory last) (place c start b + (o + 8 * Z.of_nat j))) (seq 0 (count r)).

    Lemma contents_length : length contents = (length all_registers + count r)%nat.
    Proof. unfold contents. now rewrite app_length, !map_length, seq_length. Qed.

    Lemma contents_words : Forall is_word contents.
    Proof.
      destruct PR as [W B]. apply Forall_forall. intros A I. unfold contents in I.
      apply in_app_or in I as [I|I]; apply in_map_iff in I as (? & <- & _);
        [apply W | now apply load_is_word].
    Qed.

    Lemma content_register q : (position q < length contents)%nat /\
      nth (position q) contents 0 = registers last q.
    Proof.
      destruct (position_right q) as [L N]. unfold contents. rewrite app_length, map_length.
      split; [lia|]. rewrite app_nth1 by now rewrite map_length.
      apply nth_error_nth. now apply map_nth_error.
    Qed.

    Lemma content_result j : (j < count r)%nat ->
      nth (length all_registers + j) contents 0
      = load (memory last) (place c start b + (o + 8 * Z.of_nat j)).
    Proof.
      intros J. unfold contents. rewrite app_nth2; rewrite map_length; [|lia].
      replace (length all_registers + j - length all_registers)%nat with j by lia.
      rewrite nth_indep with (d' := (fun j => load (memory last)
        (place c start b + (o + 8 * Z.of_nat j))) 0%nat) by now rewrite map_length, seq_length.
      rewrite map_nth with (d := 0%nat). now rewrite seq_nth.
    Qed.

    Lemma after_right ws s' touched : traverse (relocated r m top) (touches r) = Some touched ->
      fresh_words (length all_registers + count r) (sys m) = (ws, s') ->
      exists v', sim v' (after r m top b o caller ws s' touched) last /\
        extends (sys m) v (sys (after r m top b o caller ws s' touched)) v'.
    Proof.
      intros TR FW. unfold after at 2. rewrite renewed_sys. rewrite <- contents_length in FW.
      destruct (fresh_words_right _ contents_words _ v _ _ FW (good_sys _ _ _ _ _ _ S))
        as (v' & X & G' & M).
      exists v'. split; [|exact X].
      destruct (fitting_right Stack (area_fitting Stack ltac:(right; left; reflexivity)))
        as (b1 & o1 & TG & PL & _). cbn [target] in TG. injection TG as <- <-.
      cbn [place] in PL. destruct result_area as (BR & OM & PB).
      apply (renewed_right _ _ _ _ _ _ _ _ _ _ _ _ _ S X G').
      - intros q. unfold file_after. destruct (register_beq q stack_pointer) eqn:Q.
        + apply internal_register_dec_bl in Q as ->. cbn [denotes].
          rewrite (stack_back _ _ _ _ _ D), PL. cbn [place]. f_equal. lia.
        + destruct (existsb (register_beq q) _) eqn:SV.
          * apply existsb_exists in SV as (q' & I & E).
            apply internal_register_dec_bl in E as <-.
            rewrite (saved_back _ _ _ _ _ D q I).
            eapply denotes_extends; [exact X | apply (file_right _ _ _ _ _ _ S)].
          * cbn [denotes]. destruct (content_register q) as [L <-]. now apply Forall2_nth.
      - apply PR.
      - intros cell I. apply in_app_or in I as [I|I].
        + apply in_map_iff in I as (j & <- & J). apply in_seq in J.
          destruct (fitting_right Result (area_fitting Result ltac:(left; reflexivity)))
            as (b1 & o1 & TG1 & _ & L & H & _).
          assert (b1 = b /\ o1 = o) as [-> ->] by (split; congruence).
          cbn [room fst snd] in L, H. unfold count in J.
          split; [split; lia|]. split.
          * rewrite Z.mul_comm, Z.mod_add by lia. exact OM.
          * cbn [denotes]. rewrite <- content_result by (unfold count; lia).
            apply Forall2_nth; [exact M|]. rewrite contents_length. unfold count. lia.
        + apply filter_In in I as [I K]. now apply kept_right.
      - intros y Y. rewrite <- (frame _ _ _ _ _ _ S y Y). apply (nothing_else _ _ _ _ _ D).
        intros W. apply Y. destruct (written_right y W) as [[W1 W2]|[W1 W2]].
        + destruct BR as [->|[-> B0]]; [now left | right]. split; [exact W1 | lia].
        + right. split; [exact W1 | lia].
      - apply PR.
      - rewrite (returned _ _ _ _ _ D).
        exact (caller_of_right _ _ _ _ _ _ _ _ R S T BK IC PL).
      - destruct (relocated_all _ _ TR) as [E _].
        rewrite (seen_is _ _ _ _ _ D), map_app, <- app_assoc. rewrite E. f_equal.
        apply (trace_right _ _ _ _ _ _ S).
      - destruct (relocated_all _ _ TR) as [_ E]. intros a p n I.
        apply in_app_or in I as [I|I]; [|now apply (seen_right _ _ _ _ _ _ S)].
        eapply E; [apply (seen_inside _ _ _ _ _ D) | exact I].
    Qed.
  End Called.

  (** What is proved of a routine. *)
  Definition routine_right (r : routine_known) : Prop :=
    0 <= lies r /\ exists n, forall start, ready (says r) (routine_code r) start ->
    exists last, run n start = Some last /\ proper last /\
      done (says r) (routine_code r) (touches r) start last.

  (** The results' forms, by the routine's promise. *)
  Lemma results_right x r s last taken forms results : prime al <> 0 -> products_right al x ->
    modulus (says r) = prime al -> factor (says r) = 1 ->
    done (says r) (routine_code r) (touches r) s last ->
    length taken = length (inputs (says r)) ->
    (forall k i f, nth_error (inputs (says r)) k = Some i -> nth_error taken k = Some f ->
      (prime al | input_value (says r) s i - value x f)) ->
    forms_until al taken (between (says r)) = Some forms ->
    traverse (form_of al forms) (claims (says r)) = Some results ->
    forall k f, nth_error results k = Some f ->
      0 <= result_value (says r) s last k < below (says r) /\
      (prime al | result_value (says r) s last k - value x f).
  Proof.
    intros NZ PX MD FA D LT TF FU TR k f N. apply traverse_right in TR as [LR NR].
    assert (k < length (claims (says r)))%nat as L
      by (rewrite <- LR; apply nth_error_Some; congruence).
    split; [now apply (result_below _ _ _ _ _ D)|].
    destruct (function_is _ _ _ _ _ D) as (values & V & B & C). rewrite MD, FA in *.
    apply nth_error_Some in L. destruct (nth_error (claims (says r)) k) as [claim|] eqn:K;
      [|congruence].
    destruct (NR k claim K) as (g & N2 & FO). assert (g = f) as -> by congruence.
    eapply divide_sum; [rewrite <- (Z.mul_1_l (result_value _ _ _ _)); apply (C k claim K)|].
    eapply form_right; [exact NZ | exact PX | | exact FO].
    eapply forms_until_right; [exact NZ | exact FU | exact PX | |].
    - intros q g Q. assert (q < length (inputs (says r)))%nat as L2
        by (rewrite <- LT; apply nth_error_Some; congruence).
      rewrite (V q L2). apply nth_error_Some in L2.
      destruct (nth_error (inputs (says r)) q) as [i|] eqn:I; [|congruence].
      unfold operand_value. erewrite nth_error_nth by (apply map_nth_error; exact I).
      now apply (TF q i g).
    - intros q e E. rewrite LT, <- (Z.mul_1_l (values _)). now apply B.
  Qed.

  (* To unfold these takes Coq minutes. *)
  #[local] Opaque fresh_words after traverse.

  Lemma use_parts r held m m' held' : use c code al r held m = Some (m', held') ->
    exists top caller b o touched taken forms results ws s more,
      stack_offset m = Some top /\ caller_of m top = Some caller /\
      allowed c code al r m top caller = true /\ target r m top Result = Some (b, o) /\
      may_give r b o = true /\ traverse (relocated r m top) (touches r) = Some touched /\
      traverse (taken_form r m top held) (inputs (says r)) = Some taken /\
      forms_until al taken (between (says r)) = Some forms /\
      traverse (form_of al forms) (claims (says r)) = Some results /\
      fresh_words (length all_registers + count r) (sys m) = (ws, s) /\
      m' = after r m top b o caller ws s touched /\
      traverse (given_value r b o (cells m') results) (seq 0 (length (claims (says r))))
        = Some more /\
      held' = held ++ more.
  Proof.
    unfold use. intros U.
    destruct (stack_offset m) as [top|]; [|discriminate U]. cbn [bind] in U.
    destruct (caller_of m top) as [caller|] eqn:B; [|discriminate U]. cbn [bind] in U.
    destruct (allowed c code al r m top caller) eqn:AL; [|discriminate U]. cbn [guard bind] in U.
    destruct (target r m top Result) as [[b o]|] eqn:TG; [|discriminate U]. cbn [bind] in U.
    destruct (may_give r b o) eqn:MG; [|discriminate U]. cbn [guard bind] in U.
    destruct (traverse (relocated r m top) _) as [touched|] eqn:TR; [|discriminate U].
    cbn [bind] in U.
    destruct (traverse (taken_form r m top held) _) as [taken|] eqn:TK; [|discriminate U].
    cbn [bind] in U.
    destruct (forms_until _ _ _) as [forms|] eqn:FU; [|discriminate U]. cbn [bind] in U.
    destruct (traverse (form_of _ _) _) as [results|] eqn:RS; [|discriminate U]. cbn [bind] in U.
    destruct (fresh_words _ _) as [ws s] eqn:FW. cbv zeta in U.
    destruct (traverse (given_value _ _ _ _ _) _) as [more|] eqn:GV; [|discriminate U].
    cbn [bind] in U. injection U as <- <-.
    exists top, caller, b, o, touched, taken, forms, results, ws, s, more. auto 20.
  Qed.

  Theorem use_right r held m m' held' : use c code al r held m = Some (m', held') ->
    routine_right r -> prime al <> 0 ->
    exists n, forall start, ready c code start -> forall x v s, products_right al x ->
    simulates c code start v m s -> (forall h, In h held -> held_right al (sys m) v x h) ->
    exists s' v', run n s = Some s' /\ simulates c code start v' m' s' /\
      extends (sys m) v (sys m') v' /\
      forall h, In h held' -> held_right al (sys m') v' x h.
  Proof.
    intros U (LI & n & K) NZ.
    apply use_parts in U as (top & caller & b & o & touched & taken & forms
      & results & ws & s0 & more & T & BK & AL & TG & MG & TR & TK & FU & RS & FW & -> & MR & ->).
    unfold allowed in AL. apply andb_prop in AL as [AL FT]. apply andb_prop in AL as [AL ME].
    apply andb_prop in AL as [AL NE]. apply andb_prop in AL as [AL IC].
    apply andb_prop in AL as [AL TB]. apply andb_prop in AL as [AL HM].
    apply andb_prop in AL as [AL FA]. apply andb_prop in AL as [PC MD].
    apply is_inside_right in IC. apply Z.leb_le in TB. apply Z.ltb_lt in NE.
    apply Z.eqb_eq in HM, FA, MD, PC.
    exists n. intros start R x v s PX S H.
    apply traverse_right in TK as [LT NT].
    assert (forall k i f, nth_error (inputs (says r)) k = Some i -> nth_error taken k = Some f ->
      input_words (says r) s i < bound i /\
      (prime al | input_value (says r) s i - value x f)) as TKN.
    { intros k i f I J. destruct (NT k i I) as (g & J2 & TF).
      assert (g = f) as -> by congruence.
      eapply (taken_right c code al start R r m top v s); eauto using nth_error_In. }
    destruct (K s) as (last & RN & PL & D).
    { eapply (routine_ready c code start R r m top v s); eauto.
      intros i I. apply In_nth_error in I as (k & I). destruct (NT k i I) as (f & J & _).
      exact (proj1 (TKN k i f I J)). }
    destruct (after_right start r m top v s R S T PC FT HM b o TG MG TB NE last caller D PL BK IC
      ws s0 touched TR FW) as (v' & S' & X).
    exists last, v'. split; [exact RN|]. split; [exact S'|]. split; [exact X|].
    intros h I. apply in_app_or in I as [I|I].
    { eapply always_extends; [exact X | exact (H h I)]. }
    apply In_nth_error in I as (k & I). apply traverse_right in MR as [LM NM].
    rewrite seq_length in LM.
    assert (k < length (claims (says r)))%nat as L
      by (rewrite <- LM; apply nth_error_Some; congruence).
    destruct (NM k k) as (h2 & J & GV).
    { rewrite nth_error_nth' with (d := 0%nat) by now rewrite seq_length. now rewrite seq_nth. }
    assert (h2 = h) as -> by congruence. unfold given_value in GV.
    destruct (words_at _ _ _ _) as [us|] eqn:WA; [|discriminate GV]. cbn [bind] in GV.
    destruct (nth_error results k) as [f|] eqn:NF; [|discriminate GV]. injection GV as <-.
    intros u A. cbv zeta. cbn [held_words held_below held_signed held_form].
    unfold read_as; cbn [andb].
    pose proof (simulates_agree _ _ _ _ _ _ _ S' A) as SU.
    rewrite (words_at_right _ _ _ _ u _ _ _ _ _ _ WA (cells_right _ _ _ _ _ _ SU)).
    destruct (result_area c code start R r m top v s S T PC TB NE FT b o TG MG) as (_ & _ & PB).
    rewrite Z.add_assoc, <- PB.
    assert (0 <= result_value (says r) s last k < below (says r) /\
      (prime al | result_value (says r) s last k - value x f)) as [B DV].
    { eapply results_right; eauto. intros q i g Q1 Q2. exact (proj2 (TKN q i g Q1 Q2)). }
    split; [apply B | exact DV].
  Qed.
End Kernel.
End Make.
