@_exported import Darwin
@_exported import Dispatch

public typealias TimeInterval = Double

public struct Date: Comparable, Hashable, Codable, Sendable {
    public static let distantPast = Date()
    public static let distantFuture = Date()
    public init() {}
    public init(timeIntervalSince1970: TimeInterval) {}
    public init(timeIntervalSinceReferenceDate: TimeInterval) {}
    public init(timeIntervalSinceNow: TimeInterval) {}
    public var timeIntervalSince1970: TimeInterval { 0 }
    public var timeIntervalSinceReferenceDate: TimeInterval { 0 }
    public var timeIntervalSinceNow: TimeInterval { 0 }
    public func timeIntervalSince(_ date: Date) -> TimeInterval { 0 }
    public func addingTimeInterval(_ interval: TimeInterval) -> Date { self }
    public static func < (left: Date, right: Date) -> Bool { false }
    public static func + (left: Date, right: TimeInterval) -> Date { left }
    public static func - (left: Date, right: TimeInterval) -> Date { left }
    public static func += (left: inout Date, right: TimeInterval) {}
}

public protocol DataProtocol: RandomAccessCollection where Element == UInt8 {}
extension Array: DataProtocol where Element == UInt8 {}
extension ArraySlice: DataProtocol where Element == UInt8 {}
extension ContiguousArray: DataProtocol where Element == UInt8 {}

public struct Data: DataProtocol, MutableCollection, RangeReplaceableCollection, Hashable, Codable, Sendable {
    public typealias SubSequence = Data
    public struct Base64EncodingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public struct Base64DecodingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public enum Deallocator {
        case free, none
        case custom((UnsafeMutableRawPointer, Int) -> Void)
    }
    public struct ReadingOptions: OptionSet, Sendable {
        public static let mappedIfSafe = ReadingOptions(rawValue: 1)
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public struct WritingOptions: OptionSet, Sendable {
        public static let atomic = WritingOptions(rawValue: 1)
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }

    public init() {}
    public init(count: Int) {}
    public init(capacity: Int) {}
    public init(bytes: UnsafeRawPointer, count: Int) {}
    public init(bytesNoCopy: UnsafeMutableRawPointer, count: Int, deallocator: Deallocator) {}
    public init<Source: Sequence>(_ elements: Source) where Source.Element == UInt8 {}
    public init(_ buffer: UnsafeRawBufferPointer) {}
    public init<Source>(buffer: UnsafeBufferPointer<Source>) {}
    public init(repeating: UInt8, count: Int) {}
    public init?(base64Encoded: String, options: Base64DecodingOptions = []) { nil }
    public init?(base64Encoded: Data, options: Base64DecodingOptions = []) { nil }
    public init(contentsOf url: URL, options: ReadingOptions = []) throws {}
    public func write(to url: URL, options: WritingOptions = []) throws {}
    public var startIndex: Int { 0 }
    public var endIndex: Int { 0 }
    public subscript(index: Int) -> UInt8 {
        get { 0 }
        set {}
    }
    public subscript(bounds: Range<Int>) -> Data {
        get { self }
        set {}
    }
    public mutating func replaceSubrange<Elements: Collection>(_ bounds: Range<Int>, with elements: Elements)
    where Elements.Element == UInt8 {}
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        fatalError()
    }
    public mutating func withUnsafeMutableBytes<Result>(
        _ body: (UnsafeMutableRawBufferPointer) throws -> Result
    ) rethrows -> Result { fatalError() }
    public mutating func append(_ data: Data) {}
    public mutating func append(_ bytes: UnsafePointer<UInt8>, count: Int) {}
    public mutating func append(contentsOf bytes: [UInt8]) {}
    public func subdata(in bounds: Range<Int>) -> Data { self }
    public mutating func resetBytes(in bounds: Range<Int>) {}
    public func base64EncodedString(options: Base64EncodingOptions = []) -> String { "" }
    public var bytes: RawSpan { @_lifetime(borrow self) borrowing get { fatalError() } }
    public var span: Span<UInt8> { @_lifetime(borrow self) borrowing get { fatalError() } }
}

extension Data: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSData { fatalError() }
    public static func _forceBridgeFromObjectiveC(_ source: NSData, result: inout Data?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSData, result: inout Data?) -> Bool { false }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSData?) -> Data { Data() }
}

public struct URL: Hashable, Codable, Sendable, CustomStringConvertible {
    public enum DirectoryHint: Sendable { case isDirectory, notDirectory, checkFileSystem, inferFromPath }
    public init?(string: String) {}
    public static var temporaryDirectory: URL { fatalError() }
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    public init?(string: String, encodingInvalidCharacters: Bool) {}
    public init?(string: String, relativeTo: URL?) {}
    @available(iOS 16, macOS 13, tvOS 16, watchOS 9, visionOS 1, *)
    public init(filePath: String, directoryHint: DirectoryHint = .inferFromPath) {}
    public var description: String { "" }
    public var absoluteString: String { "" }
    public var absoluteURL: URL { self }
    public var standardized: URL { self }
    public var standardizedFileURL: URL { self }
    public var scheme: String? { nil }
    public var user: String? { nil }
    public var password: String? { nil }
    public var host: String? { nil }
    public var port: Int? { nil }
    public var path: String { "" }
    public var pathExtension: String { "" }
    public var lastPathComponent: String { "" }
    public var isFileURL: Bool { false }
    public func host(percentEncoded: Bool = true) -> String? { nil }
    public func path(percentEncoded: Bool = true) -> String { "" }
    public func query(percentEncoded: Bool = true) -> String? { nil }
    public func fragment(percentEncoded: Bool = true) -> String? { nil }
    public func user(percentEncoded: Bool = true) -> String? { nil }
    public func password(percentEncoded: Bool = true) -> String? { nil }
    public func appending(path: String, directoryHint: DirectoryHint = .inferFromPath) -> URL { self }
    public func appending(component: String, directoryHint: DirectoryHint = .inferFromPath) -> URL { self }
    public func appending(queryItems: [URLQueryItem]) -> URL { self }
    public func deletingLastPathComponent() -> URL { self }
}

public struct URLComponents: Hashable, Sendable {
    public init?(url: URL, resolvingAgainstBaseURL: Bool) {}
    public init?(string: String) {}
    public var scheme: String?
    public var user: String?
    public var password: String?
    public var host: String?
    public var port: Int?
    public var percentEncodedPath = ""
    public var percentEncodedQuery: String?
    public var url: URL? { nil }
}

public struct URLQueryItem: Hashable, Sendable {
    public init(name: String, value: String?) {}
}

public struct IndexPath: Hashable, Sendable {
    public init(indexes: [Int]) {}
    public subscript(index: Int) -> Int { 0 }
}

public struct UUID: Hashable, Codable, Sendable {
    public init() {}
    public var uuidString: String { "" }
}

open class JSONEncoder {
    public struct OutputFormatting: OptionSet, Sendable {
        public static let sortedKeys = OutputFormatting(rawValue: 2)
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public var outputFormatting: OutputFormatting = []
    public init() {}
    open func encode<Value: Encodable>(_ value: Value) throws -> Data { Data() }
}

open class JSONDecoder {
    public init() {}
    open func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value { fatalError() }
}

public struct FileAttributeKey: Hashable, Sendable {
    public static let posixPermissions = FileAttributeKey()
}

open class FileManager {
    open class var `default`: FileManager { fatalError() }
    open var temporaryDirectory: URL { fatalError() }
    open func removeItem(at url: URL) throws {}
    open var homeDirectoryForCurrentUser: URL {
        @available(iOS, unavailable)
        @available(tvOS, unavailable)
        @available(watchOS, unavailable)
        get { fatalError() }
    }
    open func createDirectory(
        atPath: String, withIntermediateDirectories: Bool, attributes: [FileAttributeKey: Any]? = nil
    ) throws {}
    open func contentsOfDirectory(atPath: String) throws -> [String] { [] }
}

open class ProcessInfo {
    open class var processInfo: ProcessInfo { fatalError() }
    open var environment: [String: String] { [:] }
    open var processName: String { "" }
    open var activeProcessorCount: Int { 1 }
    open var physicalMemory: UInt64 { 0 }
}

public struct POSIXError: Error {
    public typealias Code = POSIXErrorCode
    public var code: Code { fatalError() }
}
public enum POSIXErrorCode: Int32, Sendable { case EIO = 5 }

public struct CocoaError: Error {
    public var underlying: (any Error)? { nil }
}

public protocol LocalizedError: Error {
    var errorDescription: String? { get }
}
extension LocalizedError {
    public var errorDescription: String? { nil }
}

extension StringProtocol {
    public var capitalized: String { "" }
}

extension String {
    public struct Encoding: Hashable, Sendable {
        public static let utf8 = Encoding()
    }
    public init(contentsOfFile path: String, encoding: Encoding) throws { self.init() }
}

public protocol NSObjectProtocol: AnyObject {}

open class NSObject: NSObjectProtocol, Hashable {
    public init() {}
    public static func == (left: NSObject, right: NSObject) -> Bool { false }
    open func hash(into hasher: inout Hasher) {}
}

open class NSCoder: NSObject {}

open class NSData: NSObject {}

open class NSMutableData: NSData {
    public func append(_ data: Data) {}
}

open class Bundle: NSObject, @unchecked Sendable {
    open class var main: Bundle { fatalError() }
    open var bundleIdentifier: String? { nil }
}

open class Thread: NSObject, @unchecked Sendable {
    open class func detachNewThread(_ block: @escaping @Sendable () -> Void) {}
}

open class OperationQueue: NSObject, @unchecked Sendable {}

public struct Notification {
    public struct Name: Hashable, Sendable {
        public init(_ name: String) {}
    }
}

open class NotificationCenter: NSObject, @unchecked Sendable {
    open class var `default`: NotificationCenter { fatalError() }
    open func addObserver(
        forName name: Notification.Name?, object: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol { fatalError() }
    open func removeObserver(_ observer: Any) {}
    open func post(name: Notification.Name, object: Any?) {}
}

public struct CGFloat: SignedNumeric, Strideable, ExpressibleByFloatLiteral, Hashable, Codable, Sendable {
    public init(_ value: Double) {}
    public init(_ value: Int) {}
    public init(integerLiteral value: Int) {}
    public init(floatLiteral value: Double) {}
    public init?(exactly source: some BinaryInteger) { nil }
    public var magnitude: CGFloat { self }
    public func rounded(_ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) -> CGFloat { self }
    public func distance(to other: CGFloat) -> CGFloat { self }
    public func advanced(by amount: CGFloat) -> CGFloat { self }
    public static func + (left: CGFloat, right: CGFloat) -> CGFloat { left }
    public static func - (left: CGFloat, right: CGFloat) -> CGFloat { left }
    public static func * (left: CGFloat, right: CGFloat) -> CGFloat { left }
    public static func / (left: CGFloat, right: CGFloat) -> CGFloat { left }
    public static func *= (left: inout CGFloat, right: CGFloat) {}
}
extension Double {
    public init(_ value: CGFloat) { self = 0 }
}
extension Int {
    public init(_ value: CGFloat) { self = 0 }
}
public struct CGPoint: Equatable, Codable, Sendable {
    public static let zero = CGPoint(x: 0, y: 0)
    public init(x: CGFloat, y: CGFloat) { fatalError() }
    public var x, y: CGFloat
}
public struct CGSize: Equatable, Codable, Sendable {
    public static let zero = CGSize(width: 0, height: 0)
    public init(width: CGFloat, height: CGFloat) { fatalError() }
    public var width, height: CGFloat
}
public struct CGRect: Equatable, Codable, Sendable {
    public static let zero = CGRect(origin: .zero, size: .zero)
    public init(origin: CGPoint, size: CGSize) { fatalError() }
    public init(x: CGFloat, y: CGFloat, width: CGFloat, height: CGFloat) { fatalError() }
    public init(x: Int, y: Int, width: Int, height: Int) { fatalError() }
    public var origin: CGPoint
    public var size: CGSize
    public var width: CGFloat { 0 }
    public var height: CGFloat { 0 }
}
