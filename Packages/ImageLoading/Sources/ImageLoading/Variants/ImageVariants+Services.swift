public import ImageCore

/// Returns the authentication code of a path, such as its HMAC.
public typealias PathSigner = @Sendable (_ path: String) -> [UInt8]

// A key in an app is public: whoever has the app can sign what they like. Let a server of yours sign URLs, and give requests
// the signed ones; sign here only in a program that runs on servers.
extension ImageVariants {
    /// Returns variants of an imgproxy server or this package's image server, which has the same URLs.
    ///
    /// - Parameters:
    ///   - server: The address of the server, with a path if it has one.
    ///   - sign: Signs paths. With nil, the server must accept unsigned URLs. See `hmacSHA256(key:salt:)`.
    public static func imgproxy(_ server: URL, sign: PathSigner? = nil) -> ImageVariants {
        ImageVariants { variant in
            let size = "\(variant.width ?? 0):\(variant.height ?? 0)"
            let ending = variant.format.map { "@\($0.fileExtension)" } ?? ""
            let path =
                "/rs:\(variant.mode.rawValue):\(size)/q:\(variant.quality)/plain/\(variant.source.percentEncoded)\(ending)"
            let signature = sign.map { base64URL($0(path)).filter { $0 != "=" } } ?? "unsafe"
            return server.appending("/\(signature)\(path)")
        }
    }

    /// Returns variants of an imagor or thumbor server.
    ///
    /// - Parameters:
    ///   - server: The address of the server, with a path if it has one.
    ///   - sign: Signs paths without a leading slash. Thumbor, and imagor by default, need HMAC-SHA1, which this package
    ///     doesn't have; imagor with `IMAGOR_SIGNER_TYPE=sha256` needs `hmacSHA256(key:)`. With nil, the server must accept
    ///     unsafe URLs.
    public static func thumbor(_ server: URL, sign: PathSigner? = nil) -> ImageVariants {
        ImageVariants { variant in
            let fit = variant.mode == .fit ? "fit-in/" : ""
            let format = variant.format.map { ":format(\($0.rawValue))" } ?? ""
            let path =
                "\(fit)\(variant.width ?? 0)x\(variant.height ?? 0)/filters:no_upscale():quality(\(variant.quality))\(format)/"
                + variant.source.percentEncoded
            return server.appending("/\(sign.map { base64URL($0(path)) } ?? "unsafe")/\(path)")
        }
    }

    /// Returns variants that Cloudinary makes from images of other servers (`image/fetch`), without a signature.
    ///
    /// - Parameter cloud: The name of the product environment, which must allow unsigned fetches.
    public static func cloudinary(cloud: String) -> ImageVariants {
        ImageVariants { variant in
            var options = [variant.mode == .fit ? "c_limit" : "c_lfill"]
            if let width = variant.width { options.append("w_\(width)") }
            if let height = variant.height { options.append("h_\(height)") }
            options += ["q_\(variant.quality)", "f_\(variant.format?.fileExtension ?? "auto")"]
            let source = variant.source.percentEncoded
            return URL(
                string: "https://res.cloudinary.com/\(cloud)/image/fetch/\(options.joined(separator: ","))/\(source)")
        }
    }

    /// Returns variants of imgix, whose URLs have the path and the query of the original.
    ///
    /// - Parameter domain: The domain of an imgix source for the original's server, such as `example.imgix.net`.
    public static func imgix(domain: String) -> ImageVariants {
        ImageVariants { variant in
            guard var parts = URLComponents(url: variant.source, resolvingAgainstBaseURL: true) else { return nil }
            parts.scheme = "https"
            parts.host = domain
            parts.port = nil
            parts.fragment = nil
            var items = [("fit", variant.mode == .fit ? "max" : "min"), ("q", "\(variant.quality)")]
            if let width = variant.width { items.append(("w", "\(width)")) }
            if let height = variant.height { items.append(("h", "\(height)")) }
            items.append(variant.format.map { ("fm", $0.fileExtension) } ?? ("auto", "format"))
            let query = items.map { "\($0)=\($1)" }.joined(separator: "&")
            parts.percentEncodedQuery = parts.percentEncodedQuery.map { "\($0)&\(query)" } ?? query
            return parts.url
        }
    }

    /// Returns variants of Cloudflare Images.
    ///
    /// - Parameter zone: The address of a zone with transformations, such as `https://example.com`.
    public static func cloudflare(zone: URL) -> ImageVariants {
        ImageVariants { variant in
            var options = ["fit=\(variant.mode == .fit ? "scale-down" : "crop")", "quality=\(variant.quality)"]
            if let width = variant.width { options.append("width=\(width)") }
            if let height = variant.height { options.append("height=\(height)") }
            options.append("format=\(variant.format?.rawValue ?? "auto")")
            // The source is not encoded.
            return zone.appending("/cdn-cgi/image/\(options.joined(separator: ","))/\(variant.source.absoluteString)")
        }
    }

    /// Returns variants of the image optimizer of Next.js, in its default widths and quality.
    ///
    /// It has no heights: an image that fills a taller area is as wide as the area is high, and may be enlarged. It chooses
    /// the format by `Accept`; see ``RequestHints/formats``.
    ///
    /// - Parameter site: The address of the site, which must allow the original's server (`images.remotePatterns`).
    public static func next(_ site: URL) -> ImageVariants {
        let widths = [32, 48, 64, 96, 128, 256, 384, 640, 750, 828, 1_080, 1_200, 1_920, 2_048, 3_840]
        var variants = ImageVariants { variant in
            guard let width = variant.width else { return nil }
            let needed = variant.mode == .fit ? width : max(width, variant.height ?? 0)
            let source = variant.source.percentEncoded
            return widths.first { $0 >= needed }.flatMap {
                site.appending("/_next/image?url=\(source)&w=\($0)&q=\(variant.quality)")
            }
        }
        variants.steps = widths
        variants.quality = 75
        variants.lowDataQuality = 75
        return variants
    }

    /// Returns a signer by HMAC-SHA256 (RFC 2104) of a salt and the path.
    ///
    /// - Parameters:
    ///   - key: The bytes of the key. An app must not contain it.
    ///   - salt: The bytes before the path: the salt of imgproxy, and none for imagor.
    public static func hmacSHA256(key: [UInt8], salt: [UInt8] = []) -> PathSigner {
        { path in SHA256.authenticationCode(of: salt + Array(path.utf8), key: key) }
    }

    /// Returns URL-safe Base64 with padding (RFC 4648, section 5).
    private static func base64URL(_ bytes: [UInt8]) -> String {
        String(Data(bytes).base64EncodedString().map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
}

extension URL {
    /// The URL as a segment of a path or an item of a query: all but unreserved characters are encoded (RFC 3986, 2.3).
    fileprivate var percentEncoded: String {
        absoluteString.utf8.map { byte in
            let scalar = UnicodeScalar(byte)
            let isKept =
                byte < 0x80
                && (scalar.properties.isAlphabetic || (48...57).contains(byte) || "-._~".utf8.contains(byte))
            return isKept ? String(scalar) : "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
        }.joined()
    }

    /// Appends a path, and perhaps a query, that are percent-encoded already.
    fileprivate func appending(_ encoded: String) -> URL? {
        let base = absoluteString
        return URL(string: (base.hasSuffix("/") ? String(base.dropLast()) : base) + encoded)
    }
}
