//! The weights of features, encoded as one character each. They were fitted to true counts by least squares, in which a
//! piece of less than one token counts as one token.

/// The weights of pairs of characters in one encoding.
pub(super) struct PairWeights {
    /// Pairs of Latin letters, by their classes.
    pub letters: &'static [u8; LETTER_CLASSES * LETTER_CLASSES],
    /// Pairs of other characters, by their classes.
    pub wide: &'static [u8; WIDE_CLASSES * WIDE_CLASSES],
    /// The unit of `wide`: in some encodings a character takes several tokens.
    pub wide_unit: i64,
}

// The index at which each table of features begins. A table of pairs has a row for each class of the first character.
pub(super) const WORD: usize = 0;
pub(super) const MARKS: usize = WORD + 3 * 3 * WORD_LENGTHS;
pub(super) const RUN: usize = MARKS + (MARK_CLASSES + 1) * MARK_CLASSES;
pub(super) const SPACE: usize = RUN + 4 * RUN_LENGTHS;
/// The number of features whose weights are the same in all encodings; the others follow them.
const SHARED: usize = SPACE + 2 * SPACE_LENGTHS;
pub(super) const WIDE: usize = SHARED;
pub(super) const LETTERS: usize = WIDE + WIDE_CLASSES * WIDE_CLASSES;

pub(super) const WORD_LENGTHS: usize = 16;
pub(super) const RUN_LENGTHS: usize = 8;
pub(super) const SPACE_LENGTHS: usize = 16;
pub(super) const LETTER_CLASSES: usize = 32;
pub(super) const WIDE_CLASSES: usize = 24;
pub(super) const MARK_CLASSES: usize = 36;

/// The weight of one token.
pub(super) const ONE: u64 = 24;
/// The character of the weight zero.
pub(super) const ORIGIN: i64 = b'P' as i64;

/// In the order of the tables.
#[rustfmt::skip]
pub(super) static WEIGHTS: &[u8; SHARED] = b"\
q`ifdc``a[[][]^Zmmdba^[XUTRQPNQZY_^[ZXXWVXVXWNWTrijgda]ZZXWXTShdpjhed`^]^][ZVVX]`hia]^__[[WYZ[[gPano\
srqx~z~~|~~{Ppjonommuus~q~^~Phgdccchkke~bv~~P[X_T]PXYX``X^X`Z`X^V`U^`WU[WY_YdYXdNQ[bXXX`Yb[XWWSL]XXC\
qXT`bkGpmzXXbXSsNhVdO]a]eV]XM[[_P`_r[i__[X^T]TZZeXY|UXWPigXY[gXn[Yk]PmljnUXR`lXeX_XgXXTXSXmXViXdSaXX\
fjX]XXXXXXXUhXXXeL_XXXaXWXaXXQVXXWjX_^]XXXaLXoEqXXk`blX`XXXXUX_XXX[]d^qXXXXkXXX`X`XbXXaXhXSbXXSXTb[`\
bZXVfW]^Q^TUWVTcYZKb]XkVf[e[cX]~O`RW][[WVTXZVc_^Wb^`_^X[`XXV^__X[XZlO``XVX^[aUaWS^UVWVZ~Wbq^gX_l^f[`\
XXQfRVctY_X]WYPl[TY]]^WXX_X^afX[kilkiX^pT[aXXbnU[X`QWb_WX@dSXXs_aLXXglhXaXZdPX]XX`XWM_hLVZYcEXQjXgMZ\
^rXXxHXuXXWgOXXaUVXTWcYe`Pe[iXkT^qe^a^fSiXkXXXZdMn]^ZXX[[_`Yc`PNgeOmXp[^[XRUgi]eXXWMSUZW[UZYZbOX`[XP\
ZX[bS[[^^]QZl[mX[XP_Td]XYXb[`[WX^O_UQnVJ^ebb][J]XOykXXWXNXTXX[VfL]XXbXX_bQR_XubX_lXXiimXXXJXSUflXg_a\
UXXXoUXQXXSZyXXegXXZZXSTXXXXQXPqVWT^YgXdqN_a^XZPWK`SVqtZbEuXbXnuRecXXXa_Zh^v__dVbXL^SXJb]hXnecj`XXNX\
OaVXRXX_Z[dFGX[YVWXRXS~[RcKXrXVIXX[XXXcvmh`wYikXXi}P~^vXebSIdnsXwcXXXXtiP^WggTWVXao[Ya[[VjprX`c[`OeU\
ZYXXnXaJP[VMemXY^hdb`cW[`qXXmSXfVU]ko^bhXXeXWXaXjXX[_W[_Q[[i_bWXeejYa[XXo[[_XXY}VXhXXXkW^XYNfcUOdUXX\
XXdeYXSoYTb_XX[XVXf^XXg_YW[]X^]Za^dU^ekXf_XPqX^_bXY[Knim]ZsiacptUp]gj^jofkccgWoa[`[XeX`jN[XbXXq^_XXa\
nbb[]XX`XXXQcXXd|[WVSXXXMSg[eXScZYXXdbbafXMapaejeg_[bXVibX`XVXWrQQX[c[l_Sbb[^aWWXoZcU_XZY^[[WXSySa[X\
XXXf]XfXaXbVXXXX[XhXcgXbXYXXQXnXPfNWb^QMRZT_XSVW^YYYSeVXXXa]SQNTXQXmPXXXXXXXXXXXXXXUXXXXXXXXXXXXXXXX\
XXQXWXiXrnXndoedQrcncXttsXigg]X|lyXXcXb`Plppotrh`fnllb[fnmfknfsjpn|Yr|r}mPgiRMVVYZWWPJLQTTY[PEMUUXV`\
PPFOOTV[PhPPPPPPPPPPPPPhPhhPiljPPPPPPPPP";

/// Pairs of characters in o200k.
#[rustfmt::skip]
pub(super) static O200K: PairWeights = PairWeights {
    wide_unit: 1,
    letters: b"\
VEHFCFJEGHDJGHJJGNHEGKK@IIL^JVVOMZWVXlUP]Y^]QXX[PfVWS\\X^VU]VVVU_?XedRVjgYZJoP^XYd`YUTZiniQg_bhVcLZj\
T^SYYVV[PSZbW]ZXSVY_ZfW^VVfV_AWb\\WSYYcWcVXd[W_\\_S`V`be\\``jUVaHT[UYUUX`[deWZY[ZZVUY]V[O[amQrMcKPc`\
cSV`hSq[Wb_WpeRWNVm_U`brWSV^E[@UeVg[RWgGQ`Z\\hiYWX[_ygc[q\\]VgHT`ZcV\\__SicTVVVcc]WTZee`]P]S`VdPVRPU\
VYUZ_[YUYVJT^[TQcUcZhS^[R\\[N[la`V`dd]ROe^c]``k\\c`nWajZcnbV^H[e^\\TXQLZpa]nW_fi]YVbfXjf`]X[VcFYS]]V\
\\Z^X\\cW`_WTZbXYWS[hRmO\\PVdGUTbgPeV\\VkWYTXOOU`R`Wn`egdhFZV\\FXgORV[R[Y^YTTUWXiRPMZX_e_ZnURV_KUYTZ\
]PT`\\W[XXTQWaSVSUYQTIHryVl]MT_ZTRm[WWjjRWbUXSQ\\UWp\\jMj[`bVaJ_baetncf`daZmkic_c`gQbdhkhVVVVNEWWWWR\
SSaWa[XSTXTXVTVZ_XhUZdwWV[H[XW[UYZZ[de`aYYYUZTUZd[[WcaEkVaGYmV_Wa^RXjb[RfWNeZVV]dXaSR]dRV`MVXN[SXYoT\
`\\TRT\\UaRTSm_oR[aVV{~\\MUuggRdQ~XbfYadXew[bdfXdo^^hBeV^BYjieQgjZXka\\nVZY``VbiYZ\\eaSadV]I^Xba_rkc\
ZfndRek]lgc]cSoVPZVVFVlCZ]Ze]`id]hm]]ZQ_o`W_jsQc^^cgbVaNWnYfXeceYeffi`^jXfjYUc[\\Zb^dTVcIhfVjWWgQeVn\
\\`Rfv{QgVQbVjQ_exVFrFUXck\\CcgYcna]NU_V`ZWVkoV^eVdVCfUVVkXe^oRVVTihjVcZd[R\\_VVJ^VVrV\\DVaVVXV]VJVw\
=V1VVVVRpxVVVV]VVVVjP_^VZ\\Ub^`gbZbWQ_[^b[_agZd_U`Tj\\",
    wide: b"\
PR~AIR<C7cE\\D\\?ZRRRbN>ar~a~]X]]]]]i]W]^]]bbc]]j]P]~]X]]]]]]]W]^]]bbc]]j]k]~\\X]]]]]]]W]^]]bbc]]j]i\
]~]W]]]]]]]W]^]]bbc]]j]P]~]XW]]]]]]W]^]]bbc]]j]P]~]X]]]]]]]W]^]]bbc]]j]P]~]X]]Z]]]]W]^]]bbc]]j]P]~]X\
]]][]]]W]^]]bbc]]j]P]~cX]]]]]]]W]^]]bbc]]j]P]~]X]]]]]I]WeJ]]bbc]>b]P]~]X]]]]]]dW]^]]bbc]]|}P]~]X]]]]\
]]]C]^]]bbc]]j]PJ~]X]]]]]T]Wp^]]bbc]]oVP]~]X]]]]];]W]KP]bJc]\\j]_]~]X]]]]]]]W]^^Z`bn]]j]F]~]X]]]]]]]\
W]^^_WY{]]j]x]~]X]]]]]]]W]Sq[ear]]j]~]~]X]]]]]]]W]hsnahu]]j]Q]~]X]]]]]]]W]^_S[Uf]]j]R]~]X]]]]]]]W]^]\
]bbca]j~P]~]X]]]]]X]W]R]]bbc]~j]P]~]X]]]]]ekWk^]]bbc]]mgP]~]X]]]]]RuWl^]]bbc~]qq",
};

/// Pairs of characters in cl100k.
#[rustfmt::skip]
pub(super) static CL100K: PairWeights = PairWeights {
    wide_unit: 2,
    letters: b"\
VFGDAFHIGJFKFGGKGPHFGHL@MLLXRUVRO_TTXk\\PcZ_\\RZXXQiUYR]X^TTbVVVtd=Zj`VYoli`CjQ[a]dY[TZYglmPjxj\\VtJ\
ZjRYUUUZZ`NTY`VbXZTTZdXfZdVVgVg?\\e^TVP[b[dT[fb[`eePb[_fd\\glz_VnFR]VXRT\\iaflY]Z]YWWUYbU^MYeqUtWrFQ\
kSsTWW`Rv\\Zf[XtgTYRUxeT^b~a]VhF\\]OsVl\\JVmLQ\\U\\lkXVV\\\\~geWyb\\VcKVabhWXffUodZQWX_eZ\\\\]iag^Sm\
VgVmPVSNTXZW_eb]VXRFTe]TRaScVqTgo]fdMZ]]m`raedF\\leba]^lXj`iWasmrpTVjI_c]]VXQO\\ucasVbild[[gm^qmabMV\
VlC[V__VbbgYidZh_WRYbXYWT]oPpbf\\VkFVS_`OdU_Wq^XVWLP^eNfZsbkiepK_VfH\\[KSXYTa\\c\\XUWYZoURN^Wf`dch^X\
ViMUXS[dNYa^U]ZZUNVcSZVUZQWEFsyVkgMTfWRPx^SWmgPXbTX\\TYTXm]jMtcegVfLZe_tzsnfcea\\tnr]bb^gRb`hrdVVVVP\
CX\\TXTTUhYh^^TSVUVXTW]_\\gTZos[VcG]^U`U]XW\\fg_a][[][VVYiY\\TbkXoVfHYlS\\WkhPXif^QeWI`YUX^rZ^PdhebV\
dPWYSZR\\_kU_eUPX\\W\\SUTpgqWbfVV|ofQXyllQfJ|Yfic\\g]kwaebh^nl^YjefVj=[nlkShhXTc_\\|PWSbXUfbgV^echvy\
V[H`Xbgbhcc]hp_V]l_ngd_fTxVNWVVTVt?^_\\i[aog_bp`^`QaoaVbdyRfg]jniVjLYukgXclo\\lbkqc^qYhv_Wn_\\afLf]V\
iQtj`s`TpZkVu[a\\ns{[~WVgVlZk\\xVQwJWXtscYqrZmlm]UXoVfg[VqoV[lVoVSsZVToUmfl]VVauopVgSbZSbkVVUjVV~VlC\
VnVV[VHVXVwQVSVVVVRquVVVV]VVVVjRhgWed]lmhpmbnZRjqgkascgYja\\m`ja",
    wide: b"\
PSgPN>QL~[KUJYJUYTV]UG]buWgVTVVVVV\\VTVWVVYYZVV]VPVgVTVVVVVVVTVWVVYYZVV]V^Vg^TVVVVVVVTVWVVYYZVV]VcVg\
VVVVVVVVVTVWVVYYZVV]VPVgVThVVVVVVTVWVVYYZVV]VPVgVTV\\VVVVVTVWVVYYZVV]VPVgVTVVcVVVVTVWVVYYZVV]VPVgVTV\
VV[VVVTVWVVYYZVV]VPVg[TVVVVVVVTVWVVYYZVV]VPWgVTVVVVVKVTfLVVYYZVEbVPVgVTVVVVVVZTVWVVYYZVVhkPVgVTVVVVV\
VVJVWVVYYZVV]VPMgVTVVVVVRVTaWVVYYZVVgSPVgVTVVVVVKVTVOWVYMZVW]VTVgVTVVVVVVVTVW[Z]afVV]VNVgVTVVVVVVVTV\
WV[Q]\\VV]VbVgVTVVVVVVVTVYd]_^iVV]VtVgVTVVVVVVVTV\\^bZcgVV]VNVgVTVVVVVVVTVW[ZY\\^VV]VQVgVTVVVVVVVTVW\
VVYYZ^V]gPVgVTVVVVVRVTVRVVYYZVg]VPVgVTVVVVVh]T_WVVYYZVVkWPVgVTVVVVVXcTdWVVYYZgVf`",
};
