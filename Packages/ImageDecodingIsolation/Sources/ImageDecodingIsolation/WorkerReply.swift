#if os(Linux)
    package import ImageCore

    /// The answer of a worker, which a file may have taken over. Reading one trusts nothing.
    package enum WorkerReply: Equatable {
        /// The worker has forbidden itself what these bits say.
        case ready(protection: Int)
        /// The header of a file, without its metadata.
        case header(HeaderReply)
        /// The pixels are in the memory that came with the request.
        case image(PixelSize, ColorSpace, DecodedImage.Completeness)
        /// There is no preview yet.
        case nothing
        /// The file of an encoded image has this number of bytes.
        case encoded(Int)
        /// The image can't be decoded.
        case failure(ImageDecodingError)

        static let byteCount = 1_024
        private static let magic = 0x494D_4147_4557_4B52
        private static let name = 384..<448
        private static let text = 448..<1_024

        /// Returns the message.
        package func bytes(number: Int) -> [UInt8] {
            var words = Words()
            words.append(Self.magic)
            words.append(number)
            var (name, text) = ("", "")
            switch self {
            case .ready(let protection): for value in [0, protection] { words.append(value) }
            case .header(let reply):
                words.append(1)
                reply.append(to: &words)
                name = reply.header.format.rawValue
            case .image(let size, let space, let completeness):
                for value in [
                    2, size.width, size.height, ColorSpace.allCases.firstIndex(of: space) ?? 0,
                    DecodedImage.Completeness.allCases.firstIndex(of: completeness) ?? 0,
                ] { words.append(value) }
            case .nothing: words.append(3)
            case .encoded(let count): for value in [5, count] { words.append(value) }
            case .failure(let failure):
                words.append(4)
                (name, text) = failure.append(to: &words)
            }
            let rest = [UInt8](repeating: 0, count: Self.name.lowerBound - words.bytes.count)
            return words.bytes + rest + name.utf8.padded(to: Self.name.count) + text.utf8.padded(to: Self.text.count)
        }

        /// Reads a message of any bytes.
        ///
        /// - Parameters:
        ///   - bytes: The message.
        ///   - number: The number of the request.
        ///   - setup: What the worker was started for. A header is within its limits.
        /// - Throws: `.workerFailed` with what is wrong.
        init(_ bytes: [UInt8], number: Int, setup: WorkerSetup) throws(ImageDecodingError) {
            guard bytes.count == Self.byteCount else { throw .invalidAnswer("\(bytes.count) bytes") }
            var words = Words(bytes)
            guard words.next() == Self.magic else { throw .invalidAnswer("other bytes") }
            let answered = words.next()
            guard answered == number else { throw .invalidAnswer("to request \(answered) in place of \(number)") }
            switch words.next() {
            case 0: self = .ready(protection: words.next())
            case 1: self = .header(try HeaderReply(&words, format: bytes.text(Self.name), setup: setup))
            case 2:
                let size = PixelSize(width: words.next(), height: words.next())
                guard let space = words.next(of: ColorSpace.allCases),
                    let completeness = words.next(of: DecodedImage.Completeness.allCases)
                else { throw .invalidAnswer("an unknown kind of image") }
                self = .image(size, space, completeness)
            case 3: self = .nothing
            case 4:
                let format = ImageFormat(rawValue: bytes.text(Self.name).printable)
                let text = bytes.text(Self.text).printable
                self = .failure(try ImageDecodingError(&words, format: format, text: text))
            case 5: self = .encoded(words.next())
            default: throw .invalidAnswer("an unknown outcome")
            }
        }
    }

    extension ImageDecodingError {
        static func invalidAnswer(_ text: String) -> ImageDecodingError { .workerFailed(.invalidAnswer(text)) }

        /// Appends numbers. Returns the format and a text.
        fileprivate func append(to words: inout Words) -> (format: String, text: String) {
            func append(_ numbers: [Int]) { for number in numbers { words.append(number) } }
            switch self {
            case .unknownFormat: append([0])
            case .malformed(let format, let text):
                append([1])
                return (format.rawValue, text)
            case .truncated(let format):
                append([2])
                return (format.rawValue, "")
            case .limitExceeded(let limit, let value, let allowed):
                append([4, DecodingLimit.allCases.firstIndex(of: limit) ?? 0, value, allowed])
            case .noSuchFrame(let index, let count): append([5, index, count])
            case .cancelled: append([6])
            case .unsupported(let format, let text):
                append([3])
                return (format.rawValue, text)
            case .workerFailed(let failure):
                append([3])
                return ("", failure.description)
            }
            return ("", "")
        }

        fileprivate init(_ words: inout Words, format: ImageFormat, text: String) throws(ImageDecodingError) {
            switch words.next() {
            case 0: self = .unknownFormat
            case 1: self = .malformed(format, text)
            case 2: self = .truncated(format)
            case 3: self = .unsupported(format, text)
            case 4:
                guard let limit = words.next(of: DecodingLimit.allCases) else {
                    throw .invalidAnswer("an unknown limit")
                }
                self = .limitExceeded(limit, value: words.next(), allowed: words.next())
            case 5: self = .noSuchFrame(words.next(), frameCount: words.next())
            case 6: self = .cancelled
            default: throw .invalidAnswer("an unknown failure")
            }
        }
    }

    extension String {
        /// The text without control characters, for logs and terminals.
        fileprivate var printable: String {
            String(String.UnicodeScalarView(unicodeScalars.filter { $0.properties.generalCategory != .control }))
        }
    }
#endif
