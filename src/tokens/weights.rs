//! What the features of a piece weigh: one character each, so that all of them stay a page.
//! Fitted to true counts by least squares, where a piece below one token is no error.

/// How many parts make a token.
pub(super) const ONE: u64 = 24;
/// The character of the weight zero.
pub(super) const ORIGIN: i64 = b'P' as i64;

/// In the order of the tables in [`super::estimate`].
#[rustfmt::skip]
pub(super) static WEIGHTS: &[u8; super::estimate::FEATURES] = b"\
q`ifdc``a[[][]^Zmmdba^[XUTRQPNQZY_^[ZXXWVXVXWNWTrijgda]ZZXWXTShdpjhed`^]^][ZVVX]`hia]^__[[WYZ[[gPano\
srqx~z~~|~~{Ppjonommuus~q~^~Phgdccchkke~bv~~VIJHGJIJIIJHGIJKJMJIGKKKHHINY`VQMSWWRdRSXV[]TSThT`SSQWTV\
OSYVVVnaKWV^_VceaWWcR[`T_gVX[T`ZeVaUNVV_KVhVbO_cTWeRT]aU[_S[OTa`jS^VVVV[HX^bXU[YiTF]UZbW[][VZXa[^P[Z\
mMVgIVZVUVXW`[b[XSUZYUTRU]YTT[ZSQVOdLTg``USRgQr[T[dTYbY`bXhd[[TdSSV[K[__cTe[TVbUUUWWccXWWUaigYYn^[V]\
KUWY_Ta]XUUkaRUTb`Y`NSb]a_[[BYVfQZWUVUUVYVTWVXRORYWURbW^[nUVVVD]QVe`aOfjX`[Z[miW[^iJ^lWb[X_[iVVUKW`W\
^UZXgWkX]cRg`ecY[[aXcfToOIVkHUY[VSR[SUe^TaWVVmbVTRWZbQl]]_VaITN[`Q`^[U^h[V`WWReU[Zj^YT^[LsVYJYeSTUWT\
_SbZYS[V[h_VSXVY[XYZ[fV[NWSUV[ST[WcTVUQTR_SYURUTZQXqyVQYKTc^YOh_WU[aRY^P[<SXWTaemXjVVVVWRkabj_dYfjea\
Rmdlo[_b`PbbhjfVVVVVIV[VUSVWWT^XXWTR^bWWWWUXkQYjmXV]LZaY[TWYWU`]]_YUW[VWTU`UfWeV[VVZIV^X[UY]SRq[]W^V\
QfTT[QaRcTY`lEVXLVUX[VZWgSaZQUTZQeUUR[UeW_cVVVcbMUm_gRiQaU`a[_[ZSvfb`[XPqZVcVVVaKTc`VRe_UTri[cVMfjTR\
aZZ[W`iWSSVcJSXRbXUy[WceiWejXglYSimkRRlVVVVbHa[a`ZbhZUjqY^YZ]kZUUpbY^VXVVVVhKQg]cUmof^]Ydb_]hjjhYZd[\
[Y[QkVVd8VVO`VReUcVqWnVV^{]eIV[VcVVVxVPVHVVu[VT[eV[jimZVKVb[WVaoVVVV[VLVAVK[VVXWYVVVjwbV[V]<RVVVVVVV\
VVVVRVVVVHVVVOVw3VVVVVVRdVVVVV]VVVVjKZ[]]WS[djIeXWQRbMXVV{]XVL~VVVjiPE~QHGIIJ]DaDfGLXSZ^ZGgr~e~]X]]]\
]]j]W]^]]bbc]]j]P]~]X]]]]]]]W]^]]bbc]]j]k]~mX]]]]]]]W]^]]bbc]]j]P]~]X]]]]]]]W]^]]bbc]]j]P]~]X^]]]]]]\
W]^]]bbc]]j]P]~]X]^]]]]]W]^]]bbc]]j]P]~]X]]k]]]]W]^]]bbc]]j]P]~]X]]]l]]]W]^]]bbc]]j]P]~]X]]]]]]]W]^]\
]bbc]]j]P]~]X]]]]]K]WNB]]bbc]Mk]P]~]X]]]]]]dW]^]]bbc]]j]P]~]X]]]]]]]C]^]]bbc]]j]PJ~]X]]]]]T]Wb^]]bbc\
]]/KP]~]X]]]]]A]W]Rf]bJc]]j]~]~]X]]]]]]]W]^]ifnl]]j]P]~]X]]]]]]]W]^a_aq_]]j]~]~]X]]]]]]]W]igebdg]]j]\
o]~]X]]]]]]]W]h^bZff]]j]P]~]X]]]]]]]W]^bcX]j]]j]P]~]X]]]]]]]W]^]]bbc]]j~P]~]X]]]]]]]W]^]]bbc]~j]P]~]\
X]]]]]^]W!^]]bbc]]h]P]~]X]]]]]K]W]^]]bbc~]j|P[X_T]PXYX``X^X`Z`X^V`U^`WU[WY_YdYXdNQ[bXXX`Yb[XWWSL]XXC\
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
