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
    /// What a character adds, by its block in [`RARE_BLOCKS`].
    pub rare: &'static [u8; RARE_BLOCKS.len()],
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

/// Pairs of letters of the Cyrillic and Arabic alphabets, which have a weight only in [`UNLIKE`].
pub(super) const SCRIPTS: usize = LETTERS + LETTER_CLASSES * LETTER_CLASSES;

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

/// How unlike a well-known language a pair of letters is: the mean over a text is the share by which its words take more
/// tokens than the other weights tell. The tables are those of [`LETTERS`] and [`SCRIPTS`]. It was fitted to one half of the
/// paragraphs of the Universal Declaration of Human Rights in 532 languages, and to English and source code, whose share is
/// zero.
#[rustfmt::skip]
pub(super) static UNLIKE: &[u8; 2 * LETTER_CLASSES * LETTER_CLASSES] = b"\
PXELQVPaJRbJSTXSMOQNSLL[UAM81SLKD`_UGjfeQ]]JK`^|V`Q[VEf\\WhCRPRHa[bVPQL\\dSW>JGZ[[C8L>^SKHPYS]K?PlL[AA\
VJO=`H?>QATLDdIQLcTLWQ)TPNP^OM,[YQTTfXRUNbPJTJ|fOH[RFw1M|OPrJX>NIySfgP8ldXYH[/TSb]LbJ[KcPXH|PP;QTYOZ\
nLNa:LT[RBLU(PNqX\\jHbKPu?\\;S|;t=wU^|;[XlSKNH[P^9uLCTVhPIP[QnZMU[VnE@jRmYwVKI-b|JbYQT=$PJPfjYUJSP|c\\v\
F_U<]eXOS|QfjB<fROP.PWAK`jQKFL|NS`$TTNC8eQFhQ^A8JLP$OUKRX\\W_|U$bJthYHM,>b7kON$NW@NP<QWYB7M5]SN6UQR>R\
-$SYSJOzFY[AONPWCVWSKA]UVHakbX|d@UQL4RdqJMWAX7PmGTt?IQa`$Z=?EbYSYh|NKEE*|=a7VbP8GsTSF`Rw|GJOYd`[SPLG\
[IH[]|TPOQO@MgNEDR$TEfAMA?J`DOGFKJ/|D`_[T@Pt]OJ9MV=Y@ZHOBB=gD2RCHTMILJFOPPPYQW`P<MdP*]Y:K?HPdODIIAb|\
_LQM^EPXEjGJJI0brf]Z+KeU>YXKEIF@:[$O]`PMHWS7^Lf|9RPHMcBFP\\Dh_P$LB`|<X3P7RhdkjjT^$w<QOadhTCR\\X1Q63Xe\\\
PLJUVNXJm@Ym$`PKTh2Qa=$C[t_YMJYSJOPI?QSbNe?h,MVXaZE`]V4TbiT_OTPNRUP|SahR>KT^^cVL_D[L>GDZTMTX|ZfPQYP;\
ILH.{{Z:[lS>I2g{?`|L[|4BI6cZEJP)RJRTD^PLhWO^7e;[NNYQC6$JPGYTM^Pc8QRIZFM0Iob3@HIPQDLYcZTPPbOBPPSY|PQM\
`PNSO\\XcLdVPPQ7/NQlMPP5PXP>Ez\\W4`OOKSMVK/NQRB<$^JWOPU@JPPOOP?PPPPLPPP[PPJPIPPPPPBJPPPPPPPPPPOgkOT||3\
Rt36W:t,C=h?`u52]CWSVLPLUX|ANJRXHPP<SwUN]OYa]]HY|\\OSVSVQH[J_NMNBNOBJ|cP_sL@WU|QNbJRGYJ2?:Y^Y^KLFJ]E|\
8|PT|S4\\Q<KME@e_VZNR|LfPLOtKHQ[`PpQX|k]FYRQTreSxnz|JPSK8<TQ`OX]`IVONUEHOOGSLMNNPPPFPQ\\HtLj/;@Rd\\kbPP\
yEL6R^NSd>SPSQKPQMUPSQYOIgPfJ8QZ\\NNRRJIPWQQPPPQPO@Bm-0FRHJrOKXD9U;B2>JPOvALVQU`PROFRKNCKeNyPSRZ0H9EU\
I1ECWRKXPQQPPP[TY[fPPP[]RXOY\\TRQ^NPPEPRPPPLPUIByaHs]jNoaN|OLfXKSKU:PQ>IQOMdP`u|S^+K^QVPVPPORR\\Wm|KLc\
TGdND|IDQ?I_NSNUJNP[P|MO[@MMPRPSPPRRP9RPt]\\iS\\ZaWXBPPPP8Pd`[|PSn_ckv|oPhWQUNLRND9FJPPPNOQMWQKDPJPPPR\
OQPQbIJYRBReNYWYPVILO4OXUKOSNW:SRkQMW`:KPgg\\QTIQPRTGc_bytM8Bas`rSJPhL\\^x^H\\A\\`\\|\\oK>gWFTF@BXqLQQXPHP\
WCJjP@D1GPRUOnPSQP]T\\YbWeXL0T]\\PXPR[TQ[NcU|YVfOTYISTVsBRsPPLPR?PkJ]iSCMN>SLMs|SZXHRT|WbwVQG@YK_QQACK\
RUP/FQNPPMMQTRP6]?[]ULD6V7BUO^RRNAPSFPTjWTR^?MOQ2KYC^GMMC&TKQQVEQ\\LS@POeSePONRTJ:WDO]SUQN]SQ]|lgF0ZV\
ETNPPWE'hPxSWDZ[SIgZKlE\\WLGi6@C>ILFrOOP_`USPXRRN_PXJmhTWG[PwNPOTRPy[QcPQJPKPJTDQtQb\\QVHNONY@PPOQPPmE\
$|H=UfZV\\c@NRQRQC\\VO[WUcOTPUQPPxS|PM|wSVJ/JOdPOCeJZLTFXaJQDfLNPjl|Q`EVP[oAOU[PRUpT;RoCLUVRbVIQPNP\\_A\
RL:9>*L]RQXa4{Jc9eM|PXPNSRRTQeRKnPPPPLcP]P\\OPNeX";

/// A text grows only when pairs tell more tokens by at least this many than a growth of a twelfth has.
pub(super) const MARGIN: i64 = 6;

/// The first characters of blocks whose characters take more tokens than the pairs of their scripts tell, or that end such a
/// block.
#[rustfmt::skip]
pub(super) static RARE_BLOCKS: [u32; 63] = [
    0x250, 0x259, 0x25a, 0x2b0, 0x300, 0x370, 0x400, 0x410, 0x450, 0x460, 0x530, 0x590, 0x671, 0x700, 0x750, 0x780,
    0x7c0, 0xa00, 0xa80, 0xb00, 0xb80, 0xc00, 0xc80, 0xd00, 0xd80, 0xe00, 0xe80, 0xf00, 0x1000, 0x1050, 0x10a0,
    0x1100, 0x1200, 0x13a0, 0x1400, 0x1680, 0x1780, 0x1800, 0x1a00, 0x1ac0, 0x1c80, 0x1d00, 0x1e00, 0x1ea0, 0x1f00,
    0x2000, 0x2d30, 0x2e00, 0xa000, 0xa4d0, 0xa500, 0xa640, 0xa980, 0xaa60, 0xab70, 0xac00, 0x10000, 0x11100,
    0x11300, 0x12000, 0x16fe0, 0x1e900, 0x1e960,
];

/// Pairs of characters in o200k.
#[rustfmt::skip]
pub(super) static O200K: PairWeights = PairWeights {
    wide_unit: 1,
    rare: &[
        20, 5, 37, 37, 25, 0, 56, 0, 10, 17, 0, 0, 2, 16, 0, 16, 0, 6, 0, 0, 0, 3, 0, 0, 6, 0, 35, 27, 6, 48, 0, 59,
        31, 55, 58, 48, 0, 48, 59, 0, 48, 31, 59, 10, 32, 0, 32, 0, 36, 0, 21, 80, 38, 30, 35, 0, 48, 50, 50, 48, 0,
        50, 0,
    ],
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
    rare: &[
        36, 7, 40, 15, 15, 0, 20, 0, 39, 51, 13, 0, 20, 16, 0, 17, 0, 17, 16, 0, 3, 14, 14, 9, 19, 0, 27, 3, 20, 46,
        18, 56, 51, 50, 54, 48, 28, 48, 58, 0, 48, 19, 63, 5, 52, 0, 32, 0, 36, 0, 20, 69, 38, 30, 36, 0, 48, 50, 49,
        48, 0, 50, 0,
    ],
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
