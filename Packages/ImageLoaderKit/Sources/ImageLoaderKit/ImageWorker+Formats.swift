#if !canImport(ImageIO)
    public import ImageCore
    public import ImageDecoding
    public import ImageDecodingIsolation

    extension ImageWorker {
        /// Decodes images with `decoders`, if this process was started as a worker, and never returns. Otherwise returns at
        /// once.
        ///
        /// Call it first in `main`, before the program starts a thread or opens a file. Only with the trait `SVG`, a worker can
        /// read files: fonts and their settings.
        ///
        /// - Parameters:
        ///   - decoders: The decoders, in the order in which they are tried. A worker uses those of the formats that the
        ///     loader decodes.
        ///   - makeEncoder: Returns the encoder with a name, for `IsolatedDecoders.encoder`, or nil.
        ///   - wrap: Returns a decoder that changes what the decoder of these formats does.
        public static func runIfAsked(
            decoders: @autoclosure () -> [any ImageDecoder] = .all,
            makeEncoder: @escaping (String) -> (any ImageEncoder)? = { _ in nil },
            wrap: (DownsamplingDecoder) -> any SizedImageDecoder = { $0 }
        ) {
            runIfAsked(readableFolders: fonts, prepare: decodeSmallImages, makeEncoder: makeEncoder) { setup in
                let decoders = decoders().filter { setup.formats.contains($0.format) }
                return wrap(DownsamplingDecoder.standard(decoders, limits: setup.limits))
            }
        }

        /// Makes the tables that decoders make with the first image.
        private static func decodeSmallImages() {
            let bitmap = Bitmap(
                size: PixelSize(width: 16, height: 16), pixels: [UInt8](repeating: 255, count: 1_024))
            let request = DecodingRequest(target: .fit(width: 8))
            for encoder in [any ImageEncoder].standard {
                // An error is that of the first image, too.
                guard let file = try? encoder.encode(bitmap, options: EncodingOptions()) else { continue }
                _ = try? DownsamplingDecoder.standard().decode(file, request: request)
            }
        }

        /// Where fontconfig finds fonts, its settings and its cache.
        private static var fonts: [String] {
            #if SVG
                [
                    "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig", "/etc/fonts",
                    "/var/cache/fontconfig",
                ]
            #else
                []
            #endif
        }
    }
#endif
